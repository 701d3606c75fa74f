import HoldfastBytes
import HoldfastObjectStore
import HoldfastRows

/// Lines of an import with links to objects that may come later: their text and their dependencies.
///
/// Memory beyond the text: some tens of bytes a line, sixteen for each object that it writes, and eight
/// for each link. One thread at a time.
final class DeferredLines {
    private struct Line {
        var number: Int
        var offset: Int
        var count: Int
        /// The start of the fingerprints of its objects, followed by the fingerprints of its links, and their end.
        var keyStart: Int
        var linkStart: Int
        var end: Int
        /// Where its reserved object keys are.
        var reserved: Range<Int>
    }

    private var lines: ContiguousArray<Line> = []
    private var fingerprints: ContiguousArray<UInt64> = []
    private var reservedKeys: ContiguousArray<UInt64> = []
    private let text: SpilledText
    /// Whether text could not be written to the file or read from it.
    var hasFailed: Bool { text.hasFailed }

    /// Makes an empty list.
    init(memoryByteCountMax: Int, directory: String?) {
        text = SpilledText(memoryByteCountMax: memoryByteCountMax, directory: directory)
    }

    var count: Int { lines.count }

    /// Adds a line.
    ///
    /// - `draft`: The draft with its dependencies; nil if its order does not matter.
    /// - `reservedKeys`: The object keys that were reserved for it.
    func append(
        _ number: Int, _ text: UnsafeRawBufferPointer, _ draft: ObjectDraft?, reservedKeys: [UInt64]
    ) {
        let keys = draft.map { DraftKeys($0) }
        let reservedStart = self.reservedKeys.count
        self.reservedKeys += reservedKeys
        var line = Line(
            number: number, offset: 0, count: text.count, keyStart: fingerprints.count,
            linkStart: 0, end: 0, reserved: reservedStart..<self.reservedKeys.count)
        for key in Set(keys?.provided ?? []) { fingerprints.append(key.fingerprint) }
        line.linkStart = fingerprints.count
        for key in Set(keys?.links.map(\.target) ?? []) { fingerprints.append(key.fingerprint) }
        line.end = fingerprints.count
        line.offset = self.text.append(text)
        lines.append(line)
    }

    func text(_ index: Int, to buffer: ByteBuffer) {
        text.read(lines[index].offset, lines[index].count, to: buffer)
    }

    /// The object keys that were reserved for a line.
    func reservedKeys(_ index: Int) -> ArraySlice<UInt64> {
        ArraySlice(reservedKeys[lines[index].reserved])
    }

    // MARK: Order

    /// The number of a line in the import.
    func number(_ index: Int) -> Int { lines[index].number }
    func byteCount(_ index: Int) -> Int { lines[index].count }

    /// The lines in groups, such that a line's links lead to lines of its own group, of groups before it,
    /// or to no line here. Lines of one object keep their order.
    ///
    /// These are the strongly connected components of the lines' dependencies in topological order
    /// (Tarjan, https://doi.org/10.1137/0201010), with a stack of its own so that a chain of any length
    /// can be walked. Cost: linear in lines and links.
    func groups() -> [[Int]] {
        var writers: [UInt64: [Int32]] = [:]
        for (index, line) in lines.enumerated() {
            for position in line.keyStart..<line.linkStart {
                writers[fingerprints[position], default: []].append(Int32(index))
            }
        }
        // Where the dependencies of each line begin.
        var starts = [Int](repeating: 0, count: lines.count + 1)
        var edges: ContiguousArray<Int32> = []
        for (index, line) in lines.enumerated() {
            starts[index] = edges.count
            for position in line.keyStart..<line.linkStart {
                // The line before it that writes the same object.
                guard let all = writers[fingerprints[position]], all.count > 1 else { continue }
                let position = all.firstPosition { $0 >= Int32(index) }
                if position > 0 { edges.append(all[position - 1]) }
            }
            for position in line.linkStart..<line.end {
                // Any line that writes the object may be the one that creates it, if the lines before it are
                // faulty; the last comes behind them all.
                if let last = writers[fingerprints[position]]?.last { edges.append(last) }
            }
        }
        starts[lines.count] = edges.count
        return Self.components(starts, edges)
    }

    private static func components(_ starts: [Int], _ edges: ContiguousArray<Int32>) -> [[Int]] {
        let count = starts.count - 1
        var order = [Int32](repeating: -1, count: count)
        var low = [Int32](repeating: 0, count: count)
        var isOnStack = [Bool](repeating: false, count: count)
        var stack: [Int] = []
        var calls: [(node: Int, edge: Int)] = []
        var next: Int32 = 0
        var result: [[Int]] = []
        for root in 0..<count where order[root] < 0 {
            calls.append((root, starts[root]))
            while let (node, edge) = calls.popLast() {
                if order[node] < 0 {
                    order[node] = next
                    low[node] = next
                    next += 1
                    stack.append(node)
                    isOnStack[node] = true
                }
                if edge < starts[node + 1] {
                    let target = Int(edges[edge])
                    if order[target] < 0 {
                        // Comes back to the same edge, when the target is done.
                        calls.append((node, edge))
                        calls.append((target, starts[target]))
                    } else {
                        if isOnStack[target] { low[node] = min(low[node], low[target]) }
                        calls.append((node, edge + 1))
                    }
                    continue
                }
                guard low[node] == order[node] else { continue }
                var group: [Int] = []
                while let member = stack.popLast() {
                    isOnStack[member] = false
                    group.append(member)
                    if member == node { break }
                }
                result.append(group)
            }
        }
        return result
    }
}
