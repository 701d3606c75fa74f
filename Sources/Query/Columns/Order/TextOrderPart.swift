import Bytes
import Rows

/// Strings and data of the class itself, by their first eight bytes: those whose beginnings are equal are compared where they
/// stand. Rising, null has rank 0.
final class TextOrderPart: ColumnOrderPart {
    /// Nil for any other property.
    init?(_ key: SortKey) {
        guard let member = key.path.ownMember, key.path.lastClass >= 0,
            [.string, .data].contains(key.path.type.storage)
        else { return nil }
        super.init(
            ColumnReference(classIndex: key.path.lastClass, member: member),
            isAscending: key.isAscending)
    }

    override func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        super.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime) && !hasExceptions
    }

    /// The rank of a value: behind the bit that says that it is one, its first eight bytes.
    @inline(__always)
    private func rank(_ text: UnsafeRawBufferPointer) -> UInt128 {
        var bits: UInt64 = 0
        if text.count >= 8 {
            bits = text.loadUnaligned(as: UInt64.self).bigEndian
        } else {
            for byte in text { bits = bits << 8 | UInt64(byte) }
            bits <<= UInt64(64 - 8 * text.count)
        }
        return (1 << 64 | UInt128(bits)) ^ turnedBits
    }

    override func appendRanks(_ batch: ColumnBatch, to ranks: UnsafeMutablePointer<UInt128>) {
        let shift = UInt128(width)
        let chunk = chunk(batch.chunk) as? TextChunk
        for (index, position) in batch.positions.enumerated() {
            var own = turnedBits
            if let chunk, chunk.nulls?[Int(position)] ?? 0 == 0 {
                own = rank(chunk.text(Int(position)))
            }
            ranks[index] = ranks[index] << shift | own
        }
    }

    override func narrow(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, upTo rank: UInt128,
        into mask: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let chunk = chunk as? TextChunk else { return false }
        @inline(__always)
        func test(_ position: Int) {
            let isNull = chunk.nulls?[position] == 1
            let own = isNull ? turnedBits : self.rank(chunk.text(position))
            mask[position] = own <= rank ? 1 : 0
        }
        if frame.count * Self.sparseRatio >= chunk.count {
            for position in 0..<chunk.count { test(position) }
        } else {
            var position = frame.first(from: 0)
            while position < chunk.count {
                test(position)
                position = frame.first(from: position + 1)
            }
        }
        return true
    }

    /// All positions of a chunk are as soon tested as so many times fewer that have to be found.
    private static let sparseRatio = 4

    override func rank(of sortBytes: ArraySlice<UInt8>) -> (rank: UInt128, byteCount: Int?)? {
        if sortBytes.first.map(stored) == 0 { return (turnedBits, 1) }
        guard let text = text(of: sortBytes) else { return nil }
        return (text.withUnsafeBytes { rank($0) }, sortBytes.count)
    }

    private func stored(_ byte: UInt8) -> UInt8 { isAscending ? byte : ~byte }

    /// The text that sort bytes end with; nil for null, or where it was cut.
    func text(of sortBytes: ArraySlice<UInt8>) -> [UInt8]? {
        let bytes = sortBytes.map(stored)
        guard bytes.first == 1 else { return nil }
        var text: [UInt8] = []
        var index = 1
        while index + 1 < bytes.count {
            if bytes[index] > 0 {
                text.append(bytes[index])
                index += 1
                continue
            }
            // 0 is written with FF behind it, and ends the text with another 0.
            guard bytes[index + 1] == 0xFF else {
                return bytes[index + 1] == 0 && index + 2 == bytes.count ? text : nil
            }
            text.append(0)
            index += 2
        }
        return nil
    }

    /// The text of an object; nil for null.
    @inline(__always)
    private func text(of key: UInt64) -> UnsafeRawBufferPointer? {
        let position = Int(key & UInt64(ColumnChunk.keyCount - 1))
        guard let chunk = chunk(Int(key >> UInt64(ColumnChunk.keyCountLog2))) as? TextChunk,
            chunk.nulls?[position] ?? 0 == 0
        else { return nil }
        return chunk.text(position)
    }

    /// Compares the texts of two objects that have the same rank: negative, 0 or positive.
    func order(_ a: UInt64, _ b: UInt64) -> Int {
        guard let first = text(of: a), let second = text(of: b) else { return 0 }
        let order = compareKeys(first, second)
        return isAscending ? order : -order
    }

    /// Compares the text of an object with another one of the same rank: negative, 0 or positive.
    func order(_ key: UInt64, to other: [UInt8]) -> Int {
        guard let own = text(of: key) else { return 0 }
        let order = other.withUnsafeBytes { compareKeys(own, $0) }
        return isAscending ? order : -order
    }
}
