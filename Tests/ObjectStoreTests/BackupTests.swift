import HoldfastBytes
import HoldfastObjectModel
import HoldfastStorage
import HoldfastTestSupport
import HoldfastObjectSupport
import Testing

@testable import HoldfastObjectStore

@Suite("A backup")
struct BackupTests {
    /// The bytes of a backup, and what it says of itself.
    private static func backup(_ store: Store) throws -> [UInt8] {
        let cursor = try BackupCursor(store)
        defer { cursor.close() }
        var bytes: [UInt8] = []
        while true {
            let piece = try cursor.next()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// A reader of bytes that come in pieces of at most `pieceByteCount`.
    private static func reader(
        _ bytes: [UInt8], pieceByteCount: Int = 1 << 20
    ) throws(BackupFault) -> BackupReader {
        var offset = 0
        return try BackupReader { buffer in
            let count = min(buffer.count, bytes.count - offset, pieceByteCount)
            buffer.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
    }

    private static func entries(_ engine: any StorageEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        var entries: [[UInt8]: [UInt8]] = [:]
        try snapshot.scan(KeyRange(lower: [], upper: nil), reversed: false, expecting: 100) {
            entries[Array($0)] = Array($1)
            return true
        }
        return entries
    }

    @Test(
        "becomes the same store with a new epoch, in any engine", arguments: EngineCase.all,
        EngineCase.all)
    func roundTrip(from: EngineCase, to: EngineCase) throws {
        let engine = try from.open(valueByteCountMax: 4 << 20)
        let store = try Store(engine: engine)
        let seed = SeededGenerator.testSeed("backup of random values")
        var random = SeededGenerator(seed: seed)
        // Enough for several blocks, with a value longer than a block.
        var batch = OwnedBatch()
        for index in 0..<600 {
            let count = index == 300 ? 3 << 20 : Int.random(in: 0...12_000, using: &random)
            batch.changes[[9, UInt8(index >> 8), UInt8(index & 255)]] = [UInt8](
                repeating: UInt8(index & 255), count: count)
        }
        try batch.commit(to: engine)
        let bytes = try Self.backup(store)
        let target = try to.open(valueByteCountMax: 4 << 20)
        let reader = try Self.reader(bytes, pieceByteCount: 70_001)
        #expect(reader.description.version == store.version)
        try reader.restore(into: target)
        var expected = try Self.entries(engine)
        var found = try Self.entries(target)
        #expect(expected[StoreKey.state] != found[StoreKey.state])
        expected[StoreKey.state] = nil
        found[StoreKey.state] = nil
        #expect(expected == found)
        store.close()
        target.close()
    }

    @Test("of a store is one that opens, and has its objects, version and another epoch")
    func opens() throws {
        let store = try Store(engine: EngineCase.lmdb.open())
        let former = store.version
        let target = try EngineCase.memory.open()
        try Self.reader(try Self.backup(store)).restore(into: target)
        let restored = try Store(engine: target)
        #expect(restored.version.number == former.number)
        #expect(restored.epoch != former.epoch)
        #expect(try StoreCheck.run(restored).findings == [])
        // What has a store already is not written over.
        let again = try Self.reader(try Self.backup(store))
        #expect(throws: BackupFault.notEmpty) { try again.restore(into: target) }
        store.close()
        restored.close()
    }

    @Test("that is cut at any byte, or changed in any, is refused")
    func damage() throws {
        let store = try Store(engine: EngineCase.memory.open())
        let whole = try Self.backup(store)
        store.close()
        func fault(_ bytes: [UInt8]) -> BackupFault? {
            do throws(BackupFault) {
                try Self.reader(bytes).verify()
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(whole) == nil)
        for count in whole.indices {
            let expected = count < 8 ? BackupFault.noBackup : .cut
            #expect(fault(Array(whole[..<count])) == expected, "cut at \(count)")
        }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(fault(bytes) != nil, "byte \(index)")
        }
        #expect(fault(whole + [0]) == .damaged(offset: whole.count))
        #expect(fault(Array("no backup at all".utf8)) == .noBackup)
        var newer = whole
        newer[8] = 2
        #expect(fault(newer) == .unknownFormat(2))
        var other = whole
        other[12] = 99
        // The checksum of the header tells damage before a format is believed.
        #expect(fault(other) == .damaged(offset: 0))
    }
}
