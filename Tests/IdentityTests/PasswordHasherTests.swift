import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastIdentity

/// How passwords are hashed.
@Suite("Hashes of passwords")
struct PasswordHasherTests {
    /// Runs work on a thread of a hasher and returns its result.
    private static func run<Result: Sendable>(
        _ hasher: PasswordHasher, _ body: @escaping @Sendable (PasswordWorker) -> Result
    ) -> Result {
        let result = Monitor<Result?>(nil)
        let isTaken = hasher.submit { worker in
            let value = body(worker)
            result.update { $0 = value }
        }
        #expect(isTaken)
        return result.wait { $0 }
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
        // The thread's own processor time, which other load does not change: a hash that the library refuses takes none.
        let (known, unknown) = Self.run(hasher) { worker -> (UInt64, UInt64) in
            let hash = worker.hash("sésame")
            let times = [hash, nil].map { hash in
                let begin = threadNanoseconds()
                _ = worker.isRight("x", for: hash)
                return threadNanoseconds() - begin
            }
            return (times[0], times[1])
        }
        #expect(unknown > known / 2, "\(unknown) ns, \(known) ns of a known one")
    }

    @Test("two work at a time, and so many wait; a hasher that has stopped takes nothing")
    func bounds() {
        let hasher = PasswordHasher()
        let running = Monitor((now: 0, most: 0, done: 0, isOpen: false))
        let work: PasswordHasher.Work = { _ in
            running.update {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            running.wait { $0.isOpen ? () : nil }
            running.update {
                $0.now -= 1
                $0.done += 1
            }
        }
        for _ in 0..<PasswordHasher.threadCount { #expect(hasher.submit(work)) }
        running.wait { $0.now == PasswordHasher.threadCount ? () : nil }
        for _ in 0..<PasswordHasher.waitingCountMax { #expect(hasher.submit(work)) }
        #expect(!hasher.submit(work))
        running.update { $0.isOpen = true }
        let count = PasswordHasher.threadCount + PasswordHasher.waitingCountMax
        running.wait { $0.done == count ? () : nil }
        #expect(running.withLock { $0.most } == PasswordHasher.threadCount)
        hasher.stop()
        #expect(!hasher.submit(work))
    }
}
