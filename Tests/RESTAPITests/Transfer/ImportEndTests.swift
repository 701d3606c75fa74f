import Glibc
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Synchronization
import Testing

/// What becomes of an import that may not go on.
@Suite("An import whose access ends")
struct ImportEndTests {
    private static let ended = RequestFault(.forbidden, "access-ended", "It ended.")

    /// Lets the store's writer commit some chunks before access ends, as it sees it.
    private final class Access: Sendable {
        private let left: Mutex<Int>
        private let writer = Mutex<pthread_t>(0)

        init(_ store: Store, chunkCount: Int) throws {
            left = Mutex(chunkCount)
            let write = AwaitedWrite { [self] _ in writer.withLock { $0 = pthread_self() } }
            store.submit(write)
            _ = try write.wait()
        }

        @Sendable func ending() -> RequestFault? {
            guard writer.withLock({ $0 }) == pthread_self() else { return nil }
            return left.withLock { left in
                left -= 1
                return left < 0 ? ImportEndTests.ended : nil
            }
        }
    }

    @Test(
        "commits no chunk that is with the writer then, and says what was taken before",
        arguments: [0, 1, 5], [false, true])
    func queuedChunks(taken: Int, isAtomic: Bool) throws {
        let store = try Importing.store()
        defer { store.close() }
        let access = try Access(store, chunkCount: isAtomic ? 0 : taken)
        let lines = (0..<1000).map { "{\"id\":\($0)}\n" }.joined()
        let result = Importing.run(
            Array(lines.utf8), into: store, .objects(className: "Node"), ending: access.ending
        ) {
            $0.chunkLineCount = 1
            $0.isAtomic = isAtomic
        }
        guard case .failure(let fault)? = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        let count = isAtomic ? 0 : taken
        #expect(try Importing.export(store).count == count)
        #expect(fault.code == "access-ended" && fault.kind == .forbidden)
        let told =
            "It ended. The import ended after line \(count); of the lines up to it: \(count) imported, "
            + "0 faulty."
        #expect(fault.detail == (count == 0 ? "It ended." : told))
    }

    @Test("ends while its text is not whole, and while it waits for lines")
    func betweenChunks() throws {
        for isEarly in [true, false] {
            let store = try Importing.store()
            defer { store.close() }
            let questions = Mutex(0)
            let lines = (0..<1000).map { "{\"id\":\($0)}\n" }.joined()
            let result = Importing.run(
                Array(lines.utf8), into: store, .objects(className: "Node"),
                ending: {
                    questions.withLock { count in
                        count += 1
                        return isEarly || count > 50 ? Self.ended : nil
                    }
                }
            ) {
                $0.chunkLineCount = 1
            }
            guard case .failure(let fault)? = result else {
                Issue.record("\(String(describing: result))")
                return
            }
            let count = try Importing.export(store).count
            #expect(fault.code == "access-ended" && count < 50 && !(isEarly && count > 0))
        }
    }
}
