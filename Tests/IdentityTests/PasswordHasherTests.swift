import HoldfastStoreService
import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastIdentity

/// How passwords are hashed.
@Suite("Hashes of passwords")
struct PasswordHasherTests {
    private static let waitingCountMax = 256

    /// Runs work on a thread of a hasher and returns its result.
    private static func run<Result: Sendable>(
        _ hasher: PasswordHasher, _ body: @escaping @Sendable (PasswordWorker) -> Result
    ) -> Result {
        let result = Monitor<Result?>(nil)
        hasher.submit(
            PasswordHasher.Work(from: network(1)) { worker in
                let value = body(worker)
                result.update { $0 = value }
            })
        return result.wait { $0 }
    }

    private static func network(_ number: Int) -> ClientKey {
        ClientKey(networkOf: "10.\(number).0.1:1")
    }

    /// A hasher with blocked threads, and the outcomes of the work that it was given.
    private final class HeldHasher: Sendable {
        let hasher = PasswordHasher()
        private let notes = Monitor<[String]>([])
        private let isOpen = Monitor(false)

        init() {
            for number in 0..<PasswordHasher.threadCount { submit("held \(number)", from: 0) }
            // Both threads have work.
            notes.wait { $0.count == PasswordHasher.threadCount ? () : nil }
        }

        func submit(_ name: String, from network: Int, at now: UInt64 = monotonicMilliseconds()) {
            let work = PasswordHasher.Work(from: PasswordHasherTests.network(network)) {
                self.notes.update { $0.append("refused " + name) }
            } run: { _ in
                self.notes.update { $0.append(name) }
                self.isOpen.wait { $0 ? () : nil }
            }
            hasher.submit(work, at: now)
        }

        /// The outcomes so far, done or refused, in their order.
        var noted: [String] { Array(notes.withLock { $0 }.dropFirst(PasswordHasher.threadCount)) }

        /// Unblocks the threads, and returns the outcomes as soon as so many are noted.
        func done(_ count: Int) -> [String] {
            isOpen.update { $0 = true }
            notes.wait { $0.count == count + PasswordHasher.threadCount ? () : nil }
            return noted
        }
    }

    @Test("a hash says how it was made, has a salt of its own, and is right for its password alone")
    func hashes() throws {
        let hasher = PasswordHasher()
        defer { hasher.stop() }
        let (first, second) = Self.run(hasher) { ($0.hash("sésame"), $0.hash("sésame")) }
        let hash = try #require(first)
        #expect(hash.hasPrefix("$argon2id$v=19$m=49152,t=3,p=1$"))
        #expect(hash != second)
        let verdicts = Self.run(hasher) { worker in
            ["sésame", "sesame", "", "sésame\u{0}"].map { worker.isRight($0, for: hash) }
        }
        #expect(verdicts == [true, false, false, false])
        #expect(hasher.hashCount == 6)
    }

    @Test("without a hash each password is wrong, after the same work")
    func unknown() {
        let hasher = PasswordHasher()
        defer { hasher.stop() }
        #expect(
            Self.run(hasher) { worker in ["", "x"].map { worker.isRight($0, for: nil) } } == [
                false, false,
            ])
        #expect(hasher.hashCount == 2)
        #expect(Self.run(hasher) { $0.isRight("x", for: "no hash") } == false)
        // The thread's own processor time: a hash that the library refuses takes none. Other load on the same core may double
        // one time, so the least of three counts.
        let (known, unknown) = Self.run(hasher) { worker -> (UInt64, UInt64) in
            let hash = worker.hash("sésame")
            let times = [hash, nil].map { hash in
                (0..<3).reduce(UInt64.max) { least, _ in
                    let begin = threadNanoseconds()
                    _ = worker.isRight("x", for: hash)
                    return min(least, threadNanoseconds() - begin)
                }
            }
            return (times[0], times[1])
        }
        #expect(unknown > known / 2, "\(unknown) ns, \(known) ns of a known one")
    }

    @Test("two work at a time, and so many wait; a hasher that has stopped takes nothing")
    func bounds() {
        let held = HeldHasher()
        for number in 0..<Self.waitingCountMax { held.submit("\(number)", from: 1) }
        #expect(held.noted == [])
        held.submit("last", from: 1)
        #expect(held.noted == ["refused last"])
        #expect(held.done(Self.waitingCountMax + 1).count > 0)
        held.hasher.stop()
        held.submit("late", from: 1)
        #expect(held.noted.last == "refused late")
    }

    @Test("networks take turns, and one that has less waiting takes the place of another's newest")
    func turns() throws {
        let held = HeldHasher()
        let floodCount = Self.waitingCountMax
        for number in 0..<floodCount { held.submit("flood \(number)", from: 1) }
        held.submit("first", from: 2)
        held.submit("second", from: 3)
        #expect(
            held.noted == ["refused flood \(floodCount - 1)", "refused flood \(floodCount - 2)"])
        let done = held.done(floodCount + 2).filter { !$0.hasPrefix("refused") }
        // One request of the flood comes before each, or two if two threads begin at once.
        #expect(try #require(done.firstIndex(of: "first")) <= 3)
        #expect(try #require(done.firstIndex(of: "second")) <= 4)
        #expect(done.count == floodCount)
        held.hasher.stop()
    }

    @Test("what has waited ten seconds is refused, and the rest goes on")
    func overdue() {
        let held = HeldHasher()
        let now = monotonicMilliseconds()
        let wait = PasswordHasher.waitingMillisecondsMax
        for number in 0..<3 { held.submit("\(number)", from: number, at: now + UInt64(number)) }
        held.hasher.refuseOverdue(at: now + wait - 1)
        #expect(held.noted == [])
        held.hasher.refuseOverdue(at: now + wait + 1)
        #expect(held.noted.sorted() == ["refused 0", "refused 1"])
        #expect(held.done(3).last == "2")
        held.hasher.stop()
    }
}
