import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastTestSupport

/// Does one command per line of standard input, and answers each with one line.
///
///     put KEY BYTES    commits BYTES bytes `v` as KEY: `ok COMMIT`
///     get KEY          `value BYTES` or `none`
///     checkpoint       writes the journal's commits to the tree: `ok`
///     reopen           closes the store and opens it again: `ok`
///     quit             closes the store and ends: `ok`
///
/// A failure is `error CODE NATIVE`.
final class Obedience {
    private var engine: LMDBEngine
    private let directory: String

    init(engine: LMDBEngine, directory: String) {
        self.engine = engine
        self.directory = directory
    }

    func run() throws(StorageError) {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do throws(StorageError) {
                StorageProbe.say(try answer(words))
            } catch {
                StorageProbe.say("error \(error.code.rawValue) \(error.native ?? "")")
            }
            if words.first == "quit" { return }
        }
        engine.close()
    }

    private func answer(_ words: [String]) throws(StorageError) -> String {
        switch (words.first, words.count) {
        case ("put", 3):
            return "ok \(try put(words[1], byteCount: Int(words[2]) ?? 0))"
        case ("get", 2):
            return try byteCount(of: words[1]).map { "value \($0)" } ?? "none"
        case ("checkpoint", 1):
            try engine.checkpoint()
            return "ok"
        case ("reopen", 1):
            engine.close()
            engine = try LMDBEngine(StorageProbe.options(directory: directory))
            return "ok"
        case ("quit", 1):
            engine.close()
            return "ok"
        default:
            return "what?"
        }
    }

    private func put(_ key: String, byteCount: Int) throws(StorageError) -> UInt64 {
        let value = [UInt8](repeating: UInt8(ascii: "v"), count: byteCount)
        return try OwnedBatch([Array(key.utf8): value]).commit(to: engine)
    }

    private func byteCount(of key: String) throws(StorageError) -> Int? {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.bytes(forKey: Array(key.utf8))?.count
    }
}
