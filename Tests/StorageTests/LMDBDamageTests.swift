import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

@Suite("Damaged LMDB stores")
struct LMDBDamageTests {
    private let directory = TemporaryDirectory()
    private static let journals = ["holdfast.mdb-journal-0", "holdfast.mdb-journal-1"]
    private static let pageByteCount = 4096

    /// No checkpoint comes by itself.
    private func open(
        _ path: String? = nil, durability: LMDBOptions.Durability = .full,
        acceptsLoss: Bool = false
    ) throws(StorageError) -> LMDBEngine {
        var options = LMDBOptions(
            directory: path ?? directory.path, mapByteCount: 256 << 20, durability: durability,
            checkpointMilliseconds: 3_600_000, checkpointByteCount: 1 << 30)
        options.acceptsLoss = acceptsLoss
        return try LMDBEngine(options)
    }

    private func contents(_ engine: LMDBEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    private func file(_ name: String) -> String { "\(directory.path)/\(name)" }

    /// Some files of the store in a directory of their own.
    private func copy(_ names: [String]) throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for name in names {
            let bytes = try #require(TemporaryDirectory.contents(file(name)))
            TemporaryDirectory.write(bytes, to: "\(copy.path)/\(name)")
        }
        return copy
    }

    /// Commits numbers with values of `byteCount` bytes.
    private func fill(
        _ engine: LMDBEngine, _ numbers: Range<Int>, byteCount: Int
    ) throws {
        var batch = OwnedBatch()
        for number in numbers {
            batch.changes[[UInt8(number >> 8), UInt8(number & 0xFF)]] = [UInt8](
                repeating: UInt8(number & 0xFF), count: byteCount)
        }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        try batch.commit(to: engine, base: snapshot.commit)
    }

    // MARK: A data file that was cut short

    @Test("a data file without free pages is refused at every length below its own")
    func cutAnywhere() throws {
        var engine = try open()
        try fill(engine, 0..<300, byteCount: 100)
        try fill(engine, 300..<310, byteCount: 20_000)
        try engine.compact()
        engine.close()
        engine = try open()
        let whole = try contents(engine)
        engine.close()
        let data = try #require(TemporaryDirectory.contents(file("holdfast.mdb")))
        var lengths = [0, 1, 15, 16, 40, 151, 152, 4095]
        for page in 1..<data.count / Self.pageByteCount {
            lengths += [page * Self.pageByteCount, page * Self.pageByteCount + 2048]
        }
        for length in lengths + [data.count - 1] {
            TemporaryDirectory.write(Array(data.prefix(length)), to: file("holdfast.mdb"))
            do throws(StorageError) {
                try open().close()
                Issue.record("opened with \(length) of \(data.count) bytes")
            } catch {
                #expect(error.code == .corrupted, "\(length) bytes")
                #expect(error.native?.contains("cut short") == true, "\(length) bytes")
            }
            #expect(TemporaryDirectory.contents(file("holdfast.mdb"))?.count == length)
        }
        TemporaryDirectory.write(data, to: file("holdfast.mdb"))
        engine = try open()
        #expect(try contents(engine) == whole)
        engine.close()
    }

    @Test("a data file with free pages is refused at a length, or has everything")
    func cutFreePages() throws {
        var engine = try open()
        try fill(engine, 0..<200, byteCount: 500)
        try engine.checkpoint()
        try fill(engine, 200..<600, byteCount: 500)
        try engine.checkpoint()
        var batch = OwnedBatch()
        for number in 50..<590 {
            batch.changes[[UInt8(number >> 8), UInt8(number & 0xFF)]] = .some(nil)
        }
        let snapshot = try engine.snapshot()
        try batch.commit(to: engine, base: snapshot.commit)
        snapshot.close()
        let whole = try contents(engine)
        engine.close()
        let data = try #require(TemporaryDirectory.contents(file("holdfast.mdb")))
        for length in stride(from: 0, to: data.count, by: Self.pageByteCount / 2) {
            TemporaryDirectory.write(Array(data.prefix(length)), to: file("holdfast.mdb"))
            do throws(StorageError) {
                engine = try open()
            } catch {
                #expect(error.code == .corrupted)
                continue
            }
            #expect(try contents(engine) == whole, "\(length) of \(data.count) bytes")
            engine.close()
        }
    }

    @Test(
        "a sound file that ends before its last page is opened, and its list of free pages may be long"
    )
    func soundShortFile() throws {
        var engine = try open()
        try fill(engine, 0..<10, byteCount: 100)
        var model = try contents(engine)
        var isShort = false
        for (round, byteCount) in [1 << 20, 1 << 20, 1 << 20, 8 << 20, 20 << 20].enumerated() {
            let snapshot = try engine.snapshot()
            let transaction = try engine.beginWrite(base: snapshot.commit)
            snapshot.close()
            // What a transaction frees that took it behind the file's end is not written.
            let large = OwnedBatch([[8, 8]: [UInt8](repeating: 8, count: byteCount)])
            var removal = OwnedBatch([[7, UInt8(round)]: [1]])
            removal.changes[[8, 8]] = .some(nil)
            try large.apply(to: transaction)
            try removal.apply(to: transaction)
            _ = try transaction.commitAll()
            model[[7, UInt8(round)]] = [1]
            let used = try engine.information().mapUsedByteCount
            engine.close()
            let data = try #require(TemporaryDirectory.contents(file("holdfast.mdb")))
            isShort = isShort || data.count < used
            engine = try open()
            #expect(try contents(engine) == model)
        }
        #expect(isShort, "the file has all its pages: the test shows nothing")
        engine.close()
        let data = try #require(TemporaryDirectory.contents(file("holdfast.mdb")))
        // The list itself is among the pages that this lacks.
        TemporaryDirectory.write(Array(data.prefix(3 * 4096)), to: file("holdfast.mdb"))
        #expect(throws: StorageError.self) { try open() }
    }

    // MARK: A journal that is missing

    @Test(
        "a store that was not closed in order is refused without a file of its journal",
        arguments: [[0], [1], [0, 1]])
    func missingJournal(lost: [Int]) throws {
        let engine = try open()
        try fill(engine, 0..<10, byteCount: 10)
        try engine.checkpoint()
        let tree = try contents(engine)
        try fill(engine, 10..<20, byteCount: 10)
        let names = Self.journals.indices.filter { !lost.contains($0) }.map { Self.journals[$0] }
        let crashed = try copy(["holdfast.mdb", "holdfast.format"] + names)
        engine.close()
        do throws(StorageError) {
            try open(crashed.path).close()
            Issue.record("opened without its journal")
        } catch {
            #expect(error.code == .corrupted)
            #expect(error.native?.contains("--new-epoch") == true)
            #expect(error.native?.contains(Self.journals[lost[0]]) == true)
        }
        guard lost.count == 2 else {
            // The file that is left may continue commits of the other.
            #expect(throws: StorageError.self) { try open(crashed.path, acceptsLoss: true) }
            return
        }
        let reopened = try open(crashed.path, acceptsLoss: true)
        #expect(reopened.mayLackCommits)
        #expect(try contents(reopened) == tree)
        reopened.close()
        // Nobody has taken a new epoch yet.
        let again = try open(crashed.path, acceptsLoss: true)
        #expect(again.mayLackCommits)
        again.noteNewEpoch()
        again.close()
        let settled = try open(crashed.path)
        #expect(!settled.mayLackCommits)
        settled.close()
    }

    @Test("a store that was closed in order, or by a build without marks, needs no journal")
    func spareJournal() throws {
        let engine = try open()
        try fill(engine, 0..<10, byteCount: 10)
        let whole = try contents(engine)
        try engine.checkpoint()
        let crashed = try copy(["holdfast.mdb"])
        engine.close()
        #expect(
            TemporaryDirectory.contents(file("holdfast.format")) == Array("holdfast-lmdb 3\n".utf8))
        TemporaryDirectory.write(
            Array("holdfast-lmdb 3\n".utf8), to: "\(crashed.path)/holdfast.format")
        // Its writing was cut off, so that nobody had used the store yet.
        let cutMark = try copy(["holdfast.mdb"])
        TemporaryDirectory.write(
            Array("holdfast-lmdb 3\nopen fu".utf8), to: "\(cutMark.path)/holdfast.format")
        for path in [try copy(["holdfast.mdb", "holdfast.format"]), crashed, cutMark] {
            let reopened = try open(path.path)
            #expect(!reopened.mayLackCommits)
            #expect(try contents(reopened) == whole)
            reopened.close()
        }
    }

    @Test(
        "a relaxed store that was not closed in order may lack commits, until somebody has taken note"
    )
    func relaxed() throws {
        let names = ["holdfast.mdb", "holdfast.format"] + Self.journals
        for durability in LMDBOptions.Durability.allCases {
            let path = TemporaryDirectory()
            let engine = try open(path.path, durability: durability)
            #expect(!engine.mayLackCommits)
            try fill(engine, 0..<10, byteCount: 10)
            let crashed = TemporaryDirectory()
            for name in names {
                let bytes = try #require(TemporaryDirectory.contents("\(path.path)/\(name)"))
                TemporaryDirectory.write(bytes, to: "\(crashed.path)/\(name)")
            }
            engine.close()
            let closed = try open(path.path)
            #expect(!closed.mayLackCommits)
            closed.close()
            // What it is opened as now does not matter.
            let reopened = try open(crashed.path)
            #expect(reopened.mayLackCommits == (durability == .relaxed))
            reopened.noteNewEpoch()
            #expect(!reopened.mayLackCommits)
            reopened.close()
            let again = try open(crashed.path)
            #expect(!again.mayLackCommits)
            again.close()
        }
    }
}
