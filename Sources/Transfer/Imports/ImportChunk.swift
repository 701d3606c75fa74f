import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Some lines of an import: their text, their drafts, and the outcome.
///
/// A chunk is one transaction. It goes from the import's thread to the writer and back.
final class ImportChunk: @unchecked Sendable {
    // Unchecked: one thread at a time has the chunk; it is handed on through queues with locks.

    /// A line that is not blank.
    struct Line {
        /// Its number in the import, from 1.
        var number: Int
        /// Where its text begins.
        var start: Int
        /// The bytes of its text, without the line's end.
        var count: Int
        /// The reading of the line; nil when it is faulty.
        var reading: ObjectReading?
    }

    /// The whole lines, each with its end, then the bytes that the JSON parser may read beyond.
    let text: ByteBuffer
    let byteCount: Int
    /// The number of the first line.
    let firstNumber: Int
    /// The numbers of the lines when they are not consecutive; nil when they are.
    let numbers: [Int]?
    /// The object keys that were reserved for lines that waited, as ``reservedKeys``.
    let earlierKeys: [ArraySlice<UInt64>]
    /// The faults that were found before the lines were read, by line number; an empty line stands in the text for
    /// one that was too long.
    let faults: [(number: Int, fault: RequestFault.Entry)]
    /// Where the lines begin in the text, and how many are before that.
    private(set) var start = (byte: 0, line: 0)

    /// The lines, once they are read.
    var lines: ContiguousArray<Line> = []
    /// Where their drafts came from.
    var drafts: DraftPool?
    /// The catalog that they were read with.
    var catalog: Catalog?
    /// The faults found while reading, by line number.
    var readFaults: [(number: Int, faults: [RequestFault.Entry])] = []
    /// The number of members that were left out because their classes have no property of the name.
    var unknownCount = 0

    /// How many lines belong together, one group behind the other, of lines that waited.
    let groupCounts: [Int]

    // The findings of the writer's last run of the chunk.

    /// The faults of lines that can't be written.
    var writeFaults: [(number: Int, faults: [RequestFault.Entry])] = []
    /// The positions of lines with links to objects that may come with later lines.
    var deferred: [Int] = []
    /// For each of these lines, the object keys that were reserved for its objects, in the order of
    /// ``DraftKeys/reservable``: 0 for none. In a whole store's import the object that was created for it.
    var reservedKeys: [[UInt64]] = []
    /// The keys that the chunk added for such lines.
    var addedKeys: [UInt64] = []
    /// In a whole store's import, the known object keys before the chunk.
    var renameMarks: [KeyRenames.Mark] = []
    /// How many lines were written.
    var writtenCount = 0
    /// How many were not, for their objects are there and the mode ignores such lines.
    var ignoredCount = 0
    /// The acts that its user had no right to.
    var refusedActs: Set<RefusedAct> = []
    /// The schema changed after the lines were read: nothing was written, and they have to be read again.
    var isStale = false

    /// Takes whole lines.
    ///
    /// - `text`: The lines, followed by as many bytes as the parser wants.
    init(
        text: ByteBuffer, byteCount: Int, firstNumber: Int,
        faults: [(number: Int, fault: RequestFault.Entry)]
    ) {
        numbers = nil
        earlierKeys = []
        groupCounts = []
        self.faults = faults
        self.text = text
        self.byteCount = byteCount
        self.firstNumber = firstNumber
    }

    /// Puts lines from anywhere together.
    ///
    /// - `body`: Appends the text of a line, by its position in `numbers`.
    /// - `earlierKeys`: The object keys that were reserved for them when they came.
    init(
        numbers: [Int], earlierKeys: [ArraySlice<UInt64>], groupCounts: [Int],
        _ body: (Int, ByteBuffer) -> Void
    ) {
        text = ByteBuffer(capacity: numbers.count * 256)
        for position in numbers.indices {
            body(position, text)
            text.append(UInt8(ascii: "\n"))
        }
        byteCount = text.count
        text.appendZeros(JSONParser.paddingByteCount)
        firstNumber = numbers.first ?? 0
        self.numbers = numbers
        self.earlierKeys = earlierKeys
        self.groupCounts = groupCounts
        faults = []
    }

    /// The text of the first line that is not blank, which is then removed from the lines; nil without one.
    func takeFirstLine() -> UnsafeRawBufferPointer? {
        while start.byte < byteCount {
            let rest = text.bytes[start.byte..<byteCount]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? byteCount
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            start = (min(end + 1, byteCount), start.line + 1)
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { return line }
        }
        return nil
    }

    /// The object key that was reserved for a line's own object; nil without one.
    func earlierKey(_ position: Int) -> UInt64? {
        guard !earlierKeys.isEmpty, let key = earlierKeys[position].first, key > 0 else {
            return nil
        }
        return key
    }

    /// The text of a line, without its end.
    func text(of line: Line) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text.bytes[line.start..<(line.start + line.count)])
    }

    /// The text of the line with a number; nil if it is blank. Cost: linear in the number of lines.
    func text(ofLine number: Int) -> UnsafeRawBufferPointer? {
        lines.first { $0.number == number }.map(text)
    }

    /// Clears the writer's findings.
    func resetOutcome() {
        writeFaults.removeAll(keepingCapacity: true)
        deferred.removeAll(keepingCapacity: true)
        reservedKeys.removeAll(keepingCapacity: true)
        addedKeys.removeAll(keepingCapacity: true)
        writtenCount = 0
        ignoredCount = 0
        refusedActs.removeAll()
        isStale = false
    }
}
