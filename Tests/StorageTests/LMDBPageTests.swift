import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// Damaged pages of a data file, which are found before LMDB reads them.
@Suite("The pages of a data file")
struct LMDBPageTests {
    private let directory = TemporaryDirectory()
    private static let pageByteCount = 4096
    private var file: String { "\(directory.path)/holdfast.mdb" }

    private func open(checking byteCount: Int = .max) throws(StorageError) -> LMDBEngine {
        var options = LMDBOptions(
            directory: directory.path, mapByteCount: 256 << 20, durability: .relaxed,
            checkpointMilliseconds: 3_600_000, checkpointByteCount: 1 << 30)
        options.checkedByteCountMax = byteCount
        return try LMDBEngine(options)
    }

    /// A store of three levels, with long values, and free pages.
    private func fill() throws -> [[UInt8]: [UInt8]] {
        let engine = try open()
        defer { engine.close() }
        func commit(_ change: (inout OwnedBatch) -> Void) throws {
            var batch = OwnedBatch()
            change(&batch)
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            try batch.commit(to: engine, base: snapshot.commit)
            try engine.checkpoint()
        }
        func key(_ number: Int) -> [UInt8] {
            [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 7, count: number % 200)
        }
        for part in 0..<8 {
            try commit { batch in
                for number in (part * 500)..<(part * 500 + 500) {
                    let length = number % 97 == 0 ? 9000 : number % 300
                    batch.changes[key(number)] = [UInt8](repeating: UInt8(part), count: length)
                }
            }
        }
        for part in 0..<4 {
            try commit { batch in
                for number in stride(from: part, to: 3000, by: 5) {
                    batch.changes[key(number)] = .some(nil)
                }
            }
        }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    @Test("a sound file is opened, however much of it is checked")
    func sound() throws {
        let whole = try fill()
        for byteCount in [0, 1, Self.pageByteCount, 20 * Self.pageByteCount, .max] {
            let engine = try open(checking: byteCount)
            let snapshot = try engine.snapshot()
            #expect(try snapshot.contents() == whole)
            snapshot.close()
            engine.close()
        }
    }

    @Test("what random damage of a page leaves to be opened can be read and written")
    func random() throws {
        _ = try fill()
        let sound = try #require(TemporaryDirectory.contents(file))
        let format = try #require(TemporaryDirectory.contents("\(directory.path)/holdfast.format"))
        let seed = SeededGenerator.testSeed("damaged pages")
        var random = SeededGenerator(seed: seed)
        let pageCount = sound.count / Self.pageByteCount
        var refusals = 0
        for round in 0..<SeededGenerator.scaled(400) {
            var data = sound
            let page = Int.random(in: 2..<pageCount, using: &random) * Self.pageByteCount
            let whole = page..<(page + Self.pageByteCount)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let other = Int.random(in: 0..<pageCount, using: &random) * Self.pageByteCount
                data.replaceSubrange(whole, with: sound[other..<(other + Self.pageByteCount)])
            case 1:
                data.replaceSubrange(
                    whole, with: [UInt8](repeating: 0, count: Self.pageByteCount))
            case 2:
                for offset in whole { data[offset] = UInt8(truncatingIfNeeded: random.next()) }
            case 3:
                data[page + Int.random(in: 0..<300, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            default:
                data[Int.random(in: whole, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            TemporaryDirectory.write(data, to: file)
            TemporaryDirectory.write(format, to: "\(directory.path)/holdfast.format")
            do throws(StorageError) {
                let engine = try open()
                use(engine)
                engine.close()
            } catch {
                refusals += 1
                #expect(error.code == .corrupted, "seed \(seed), round \(round): \(error)")
            }
        }
        #expect(refusals > 0, "seed \(seed)")
    }

    /// Reads everything and writes here and there: errors are fine, the end of the process is not.
    private func use(_ engine: LMDBEngine) {
        guard let snapshot = try? engine.snapshot() else { return }
        let entries = (try? snapshot.contents()) ?? [:]
        for key in entries.keys.prefix(50) {
            _ = key.withUnsafeBytes { try? snapshot.value(forKey: $0) }
        }
        snapshot.close()
        for number in 0..<6 {
            var batch = OwnedBatch()
            for index in 0..<40 {
                batch.changes[[UInt8(number * 40), UInt8(index)]] =
                    index % 3 == 0 ? .some(nil) : [UInt8](repeating: 9, count: index * 200)
            }
            _ = try? batch.commit(to: engine)
            _ = try? engine.checkpoint()
        }
    }
}
