import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastTransfer
import Testing

/// What an import has to lead to, computed the slow and simple way.
private struct ImportModel {
    struct Line {
        var id: Int
        var label: String?
        /// 0 for none said, negative for null.
        var next: Int?
        var others: [Int]?
        var isBroken = false

        var text: String {
            if isBroken { return "{\"id\":" }
            var parts = ["\"id\":\(id)"]
            if let label { parts.append("\"label\":\"\(label)\"") }
            if let next { parts.append("\"next\":\(next < 0 ? "null" : String(next))") }
            if let others {
                parts.append("\"others\":[\(others.map(String.init).joined(separator: ","))]")
            }
            return "{\(parts.joined(separator: ","))}"
        }

        var targets: [Int] { (next.map { $0 < 0 ? [] : [$0] } ?? []) + (others ?? []) }
    }

    struct Object: Equatable {
        var label = ""
        var next = -1
        var others: [Int] = []
    }

    var objects: [Int: Object] = [:]
    /// The objects in the order of the lines that made them.
    var order: [Int] = []

    /// Imports lines; returns the numbers of those that fail.
    mutating func run(_ lines: [Line], _ mode: WriteMode) -> [Int] {
        var left = Set(lines.indices.filter { !lines[$0].isBroken })
        var written: [Int] = []
        var isWriteOnce: Bool { mode == .create || mode == .ignore }
        while true {
            var seen = Set<Int>()
            written = lines.indices.filter { index in
                guard left.contains(index) else { return false }
                if !isWriteOnce { return true }
                return objects[lines[index].id] == nil && seen.insert(lines[index].id).inserted
            }
            let known = Set(objects.keys).union(left.map { lines[$0].id })
            let dangling = written.filter { !lines[$0].targets.allSatisfy { known.contains($0) } }
            if dangling.isEmpty { break }
            left.subtract(dangling)
        }
        for index in written {
            let line = lines[index]
            if objects[line.id] == nil { order.append(line.id) }
            var object = mode == .merge ? objects[line.id] ?? Object() : Object()
            if let label = line.label { object.label = label }
            if let next = line.next { object.next = next }
            if let others = line.others { object.others = others }
            objects[line.id] = object
        }
        let taken = mode == .ignore ? left : Set(written)
        return lines.indices.filter { !taken.contains($0) }.map { $0 + 1 }
    }

    var export: [String] {
        order.map { id in
            let object = objects[id] ?? Object()
            return "{\"id\":\(id),\"label\":\"\(object.label)\",\"next\":"
                + "\(object.next < 0 ? "null" : String(object.next)),"
                + "\"others\":[\(object.others.map(String.init).joined(separator: ","))]}"
        }
    }
}

@Test("imports of random graphs lead to what the model says", arguments: ImportOptions.modes)
func randomGraphs(mode: WriteMode) throws {
    let seed = SeededGenerator.testSeed("import of random graphs, mode \(mode)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<SeededGenerator.scaled(60) {
        let store = try Importing.store(round % 10 == 0 ? .lmdb : .memory)
        defer { store.close() }
        var model = ImportModel()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            // More identifiers than lines make links lead nowhere, fewer make lines of one object.
            let count = Int.random(in: 1...60, using: &random)
            let range = 1...Int.random(in: max(2, count / 2)...(count * 2 + 2), using: &random)
            let linkiness = Int.random(in: 0...4, using: &random)
            let lines = (0..<count).map { index -> ImportModel.Line in
                var line = ImportModel.Line(id: Int.random(in: range, using: &random))
                if Bool.random(using: &random) { line.label = "l\(index)" }
                if Int.random(in: 0...4, using: &random) < linkiness {
                    line.next =
                        Int.random(in: 0...9, using: &random) == 0
                        ? -1 : Int.random(in: range, using: &random)
                }
                if Int.random(in: 0...9, using: &random) < linkiness {
                    line.others = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        Int.random(in: range, using: &random)
                    }
                }
                line.isBroken = Int.random(in: 0...30, using: &random) == 0
                return line
            }
            let chunkLineCount = Int.random(in: 1...20, using: &random)
            let report = try Importing.report(
                lines.map(\.text).joined(separator: "\n"), into: store,
                pieceByteCount: Int.random(in: 1...200, using: &random)
            ) {
                $0.mode = mode
                $0.chunkLineCount = chunkLineCount
                $0.deferredByteCountMax = 300
            }
            let failed = model.run(lines, mode)
            let faulty = Set(report.faults.map(\.line)).sorted()
            #expect(faulty == failed, "seed \(seed), round \(round)")
            #expect(report.failedCount == failed.count)
            #expect(
                report.importedCount + (report.ignoredCount ?? 0) == count - failed.count)
            #expect(try Importing.export(store) == model.export, "seed \(seed), round \(round)")
        }
        try Importing.expectSound(store)
    }
}
