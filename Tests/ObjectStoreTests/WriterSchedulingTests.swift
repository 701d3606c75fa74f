import Glibc
@testable import ObjectStore
import Testing
import TestSupport

@Suite("The scheduling of the writer's thread")
struct WriterSchedulingTests {
    private static let slow: UInt64 = 100_000_000

    /// Whether the thread is scheduled in batches after each of those groups, told as writes and nanoseconds.
    private func isBatch(
        after groups: [(writeCount: Int, nanoseconds: UInt64)]
    ) throws -> [Bool] {
        // A thread of its own, since what it is set to stays.
        try StartedThread {
            var scheduling = WriterScheduling()
            return groups.map { group in
                scheduling.choose(writeCount: group.writeCount, nanoseconds: group.nanoseconds)
                // SCHED_BATCH of Linux.
                return sched_getscheduler(0) == 3
            }
        }.result()
    }

    @Test("batches begin with a group of several writes, and go on when they are few")
    func begins() throws {
        #expect(
            try isBatch(after: [(1, 0), (2, 0), (1, 0), (24, 0)]) == [false, true, true, true])
    }

    @Test("three slow groups in a row end them, two do not")
    func ends() throws {
        let slow = Self.slow
        #expect(
            try isBatch(after: [
                (2, 0), (2, slow), (2, slow), (2, 0), (2, slow), (2, slow), (2, slow),
            ])
                == [true, true, true, true, true, true, false])
    }

    @Test("they begin again after a number of groups")
    func beginsAgain() throws {
        let pause = WriterScheduling.pauseGroupCount
        let groups =
            [(2, 0)] + [(Int, UInt64)](repeating: (2, Self.slow), count: 3)
            + [(Int, UInt64)](repeating: (2, 0), count: pause + 1)
        let result = try isBatch(after: groups)
        #expect(result[3..<(4 + pause)].allSatisfy { !$0 })
        #expect(result.last == true)
    }
}
