import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Strings, data and values of more than eight bytes, one behind the other, with where each ends and a hash of each.
final class TextChunk: ColumnChunk, @unchecked Sendable {
    private let bytes: UnsafeMutablePointer<UInt8>
    private let ends: UnsafeMutablePointer<UInt32>
    private let hashes: UnsafeMutablePointer<UInt32>
    /// The positions with bytes beyond ASCII; nil without any.
    private let foreign: UnsafePointer<UInt8>?

    /// The most bytes of a value of a fixed width. As many follow the last value: where an exception stands or no
    /// object is, tests read an empty value, and its result is not used.
    private static let fixedByteCountMax = 16

    /// Packs texts, each of which ends at its offset in `ends`.
    init(
        _ texts: UnsafeRawBufferPointer, ends: [UInt32], count: Int, nulls: [UInt8]?,
        exceptions: [UInt8]?, meter: ColumnMeter
    ) {
        bytes = .allocate(capacity: texts.count + Self.fixedByteCountMax)
        UnsafeMutableRawBufferPointer(start: bytes, count: texts.count).copyMemory(from: texts)
        self.ends = .allocate(capacity: max(count, 1))
        self.ends.update(from: ends, count: count)
        hashes = .allocate(capacity: max(count, 1))
        var foreign: [UInt8]?
        var start = 0
        for position in 0..<count {
            let end = Int(ends[position])
            let text = UnsafeRawBufferPointer(rebasing: texts[start..<end])
            hashes[position] = Self.hash(text)
            if !UTF8Scalars.isASCII(text) {
                if foreign == nil { foreign = [UInt8](repeating: 0, count: count) }
                foreign?[position] = 1
            }
            start = end
        }
        self.foreign = Self.copy(mask: foreign, count: count)
        super.init(
            count: count, nulls: nulls, exceptions: exceptions,
            valueByteCount: texts.count + 8 * count + (foreign == nil ? 0 : count), meter: meter)
    }

    deinit {
        bytes.deallocate()
        ends.deallocate()
        hashes.deallocate()
        foreign?.deallocate()
    }

    /// A hash of a text, the same as long as the program runs.
    static func hash(_ text: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: text.tableHash() >> 32)
    }

    @inline(__always)
    private func start(_ position: Int) -> Int { position == 0 ? 0 : Int(ends[position - 1]) }

    /// The bytes at a position.
    @inline(__always)
    func text(_ position: Int) -> UnsafeRawBufferPointer {
        let start = start(position)
        return UnsafeRawBufferPointer(start: bytes + start, count: Int(ends[position]) - start)
    }

    /// Reads the texts at some positions; null without a text.
    func read(
        _ positions: UnsafeBufferPointer<Int32>, into texts: UnsafeMutablePointer<HashedText>
    ) {
        for index in 0..<positions.count {
            let position = Int(positions[index])
            let text = text(position)
            texts[index] =
                nulls?[position] ?? 0 == 0
                ? HashedText(start: text.baseAddress, count: text.count, hash: hashes[position])
                : .null
        }
    }

    override func withStored(_ position: Int, _ body: (UnsafeRawPointer, Int) -> Void) {
        let text = text(position)
        body(UnsafeRawPointer(bytes + start(position)), text.count)
    }

    override func evaluate(_ kernel: ColumnKernel, into mask: UnsafeMutablePointer<UInt8>) {
        switch kernel.form {
        case .fixed(let result): ColumnMask.fill(mask, count, result)
        case .texts(let texts, let hashes, let isInside):
            find(texts, hashes, in: mask)
            if !isInside { ColumnMask.invert(mask, count) }
        case .contains(let search): find(search, kernel.test, in: mask)
        case .textsUpTo(let last): evaluate(upTo: last, into: mask)
        default: return evaluateEach(kernel.test, into: mask)
        }
        applyNulls(kernel.test.nullResult, to: mask)
    }

    /// Sets the positions with one of some texts: hashes are compared first, then the texts with a fitting hash.
    private func find(
        _ texts: [UnsafeRawBufferPointer], _ hashes: [UInt32], in mask: UnsafeMutablePointer<UInt8>
    ) {
        ColumnMask.fill(mask, count, false)
        for hash in hashes {
            ColumnMask.addEqual(
                UnsafeMutableRawPointer(self.hashes), UInt32.self, count, UInt64(hash), mask)
        }
        var position = ColumnMask.first(mask, from: 0, count)
        while position < count {
            let own = text(position)
            if !texts.contains(where: { $0.count == own.count && compareKeys($0, own) == 0 }) {
                mask[position] = 0
            }
            position = ColumnMask.first(mask, from: position + 1, count)
        }
    }

    /// Sets each position to whether its text does not come behind another.
    private func evaluate(
        upTo last: UnsafeRawBufferPointer, into mask: UnsafeMutablePointer<UInt8>
    ) {
        // The beginnings of most differ. Bytes after the last text can be read.
        let beginning = last.prefix(8).enumerated().reduce(UInt64(0)) {
            $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset)
        }
        for position in 0..<count {
            let text = text(position)
            let own = UnsafeRawPointer(bytes + start(position)).loadUnaligned(as: UInt64.self)
            let isBehind = text.count >= 8 && own.bigEndian > beginning
            mask[position] = isBehind || compareKeys(text, last) > 0 ? 0 : 1
        }
    }

    /// Looks for a text in all values at once, and then in the values that need the rules of all of Unicode.
    private func find(
        _ search: NeedleSearch, _ test: ValueTest, in mask: UnsafeMutablePointer<UInt8>
    ) {
        ColumnMask.fill(mask, count, false)
        guard count > 0 else { return }
        let length = search.needle.count
        var position = 0
        search.forEachCandidate(in: bytes, Int(ends[count - 1])) { offset in
            // A text that continues beyond the value's end is no match; hardly any candidate does.
            guard search.stands(at: bytes + offset) else { return offset + 1 }
            while Int(ends[position]) <= offset { position += 1 }
            let end = Int(ends[position])
            guard offset + length <= end else { return offset + 1 }
            mask[position] = 1
            return end
        }
        guard search.ignoresCase, let foreign else { return }
        for position in 0..<count where foreign[position] != 0 {
            withStored(position) { mask[position] = test.test($0, $1) ? 1 : 0 }
        }
    }
}
