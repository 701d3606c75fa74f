import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastTestSupport

/// Prints what the calls of the port cost on one thread: wall time and CPU time per operation.
struct Measurement {
    let engine: LMDBEngine
    let rowCount: Int

    private static let rowTag: UInt8 = 0x20
    private static let keyTag: UInt8 = 0x10

    func run() throws(StorageError) {
        try load()
        try measureSnapshot()
        try measureGets()
        try measureScans()
        try measureCommits()
    }

    // MARK: Parts

    /// Rows of 120 bytes by object key, and a primary-key entry for each, in batches; rising.
    private func load() throws(StorageError) {
        let row = [UInt8](repeating: 7, count: 120)
        let perBatch = 10_000
        try report("load, one entry", 2 * rowCount) { () throws(StorageError) in
            for start in stride(from: 0, to: rowCount, by: perBatch) {
                var batch = OwnedBatch()
                for number in start..<min(start + perBatch, rowCount) {
                    batch.changes[key(Self.rowTag, number)] = row
                    batch.changes[key(Self.keyTag, number)] = Array(key(0, number).dropFirst())
                }
                try batch.commit(to: engine)
            }
        }
        print(try engine.information())
    }

    private func measureSnapshot() throws(StorageError) {
        let count = 1_000_000
        try report("snapshot + close", count) { () throws(StorageError) in
            for _ in 0..<count { try engine.snapshot().close() }
        }
    }

    private func measureGets() throws(StorageError) {
        let count = 1_000_000
        var random = SeededGenerator(seed: 1)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        try withKeyBuffer { (buffer) throws(StorageError) in
            try report("get, random", count) { () throws(StorageError) in
                for _ in 0..<count {
                    set(buffer, Self.rowTag, Int(random.next() % UInt64(rowCount)))
                    _ = try snapshot.value(forKey: UnsafeRawBufferPointer(buffer))
                }
            }
            try report("get, rising", count) { () throws(StorageError) in
                for index in 0..<count {
                    set(buffer, Self.rowTag, index % rowCount)
                    _ = try snapshot.value(forKey: UnsafeRawBufferPointer(buffer))
                }
            }
        }
    }

    private func measureScans() throws(StorageError) {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        let rows = KeyRange(prefix: [Self.rowTag])
        for reversed in [false, true] {
            for _ in 0..<2 {
                var sum = 0
                try report("scan, one row, reversed \(reversed)", rowCount) {
                    () throws(StorageError) in
                    try snapshot.scan(rows, reversed: reversed, expecting: rowCount) { _, value in
                        sum &+= Int(value[8])
                        return true
                    }
                }
                precondition(sum == 7 * rowCount, "every row was seen")
            }
        }
        let count = 100_000
        var random = SeededGenerator(seed: 3)
        try report("scan of 20, random start", count) { () throws(StorageError) in
            for _ in 0..<count {
                let lower = key(Self.rowTag, Int(random.next() % UInt64(rowCount)))
                var left = 20
                try snapshot.scan(
                    KeyRange(lower: lower, upper: [Self.rowTag + 1]), reversed: false, expecting: 20
                ) { _, _ in
                    left -= 1
                    return left > 0
                }
            }
        }
    }

    private func measureCommits() throws(StorageError) {
        let row = [UInt8](repeating: 9, count: 120)
        for (perCommit, commits) in [(1, 1000), (64, 300)] {
            var random = SeededGenerator(seed: 4)
            try report("commit of \(perCommit) random rows", commits) { () throws(StorageError) in
                for _ in 0..<commits {
                    var batch = OwnedBatch()
                    for _ in 0..<perCommit {
                        let number = Int(random.next() % UInt64(rowCount))
                        batch.changes[key(Self.rowTag, number)] = row
                    }
                    try batch.commit(to: engine)
                }
            }
        }
        // Rising keys below others: the tag after the rows exists, so these are not the last keys.
        try OwnedBatch([[Self.rowTag + 1]: row]).commit(to: engine)
        let before = try engine.information()
        try report("commit of 64 appended rows in the middle", 300) { () throws(StorageError) in
            for commit in 0..<300 {
                var batch = OwnedBatch()
                for index in 0..<64 {
                    batch.changes[key(Self.rowTag, rowCount + commit * 64 + index)] = row
                }
                try batch.commit(to: engine)
            }
        }
        let after = try engine.information()
        let pages = after.leafPageCount - before.leafPageCount
        print("19,200 appended rows of 129 bytes took \(pages) leaves")
    }

    // MARK: Keys and time

    private func key(_ tag: UInt8, _ number: Int) -> [UInt8] {
        [tag] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private func withKeyBuffer(
        _ body: (UnsafeMutableRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 9, alignment: 8)
        defer { buffer.deallocate() }
        try body(buffer)
    }

    private func set(_ buffer: UnsafeMutableRawBufferPointer, _ tag: UInt8, _ number: Int) {
        buffer[0] = tag
        buffer.storeBytes(of: UInt64(number).bigEndian, toByteOffset: 1, as: UInt64.self)
    }

    private func report(
        _ name: String, _ count: Int, _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let wallStart = nanoseconds(CLOCK_MONOTONIC)
        let processorStart = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        try body()
        let divisor = UInt64(max(count, 1))
        let wall = (nanoseconds(CLOCK_MONOTONIC) - wallStart) / divisor
        let processor = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processorStart) / divisor
        print("\(wall) ns wall, \(processor) ns CPU\t\(name)")
    }

    private func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
