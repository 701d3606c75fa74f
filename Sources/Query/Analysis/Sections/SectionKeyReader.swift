import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Reads the keys of sections from objects. One thread at a time uses it.
package final class SectionKeyReader {
    private let key: SectionKey
    private let isAscending: Bool
    private let evaluator: SortEvaluator
    private let values: PathReader

    /// Makes a reader.
    ///
    /// - `isAscending`: Whether small keys come first; see ``append(row:key:source:to:)``.
    package init(_ key: SectionKey, isAscending: Bool, schema: RowSchema) {
        self.key = key
        self.isAscending = isAscending
        evaluator = SortEvaluator(
            [SortKey(path: key.path, isAscending: isAscending)], schema: schema)
        values = PathReader(key.path, schema: schema)
    }

    /// Appends an object's key as ``SortEvaluator`` does, so that bytes are ordered as sections are, and
    /// are the same in one section.
    package func append(
        row: RowView, key objectKey: UInt64, source: any ObjectSource, to buffer: ByteBuffer
    ) {
        guard let count = key.prefixCount else {
            evaluator.append(row: row, key: objectKey, source: source, to: buffer)
            return
        }
        let start = buffer.count
        if let text = values.value(row: row, key: objectKey, source: source) {
            OrderedKey.append(text: UTF8Scalars.beginning(of: text, count), to: buffer)
        } else {
            OrderedKey.appendNull(to: buffer)
        }
        if !isAscending { SortEvaluator.invert(from: start, in: buffer) }
    }

    /// Reads an object's key as it is stored, nil for null; valid until the next one is read.
    package func value(
        row: RowView, key objectKey: UInt64, source: any ObjectSource
    ) -> UnsafeRawBufferPointer? {
        let value = values.value(row: row, key: objectKey, source: source)
        guard let value, let count = key.prefixCount else { return value }
        return UTF8Scalars.beginning(of: value, count)
    }

    /// Returns the bytes that the ``OrderedKey`` of the path's value begins with in all objects of a section, and in no
    /// other one: the value of its key, or of its beginning.
    ///
    /// - `bytes`: The section's key, of ``append(row:key:source:to:)``.
    package func beginning(of bytes: [UInt8]) -> [UInt8] {
        var plain = isAscending ? bytes : bytes.map { ~$0 }
        guard let count = key.prefixCount, plain.count > 2, plain[0] == 1 else { return plain }
        // A text that is shorter than a beginning may be is a section of its own.
        if Self.scalarCount(plain[1..<plain.count - 2]) == count { plain.removeLast(2) }
        return plain
    }

    /// Counts the Unicode scalars of an escaped text.
    private static func scalarCount(_ escaped: ArraySlice<UInt8>) -> Int {
        var count = 0
        var isEscape = false
        for byte in escaped {
            if !isEscape, byte & 0xC0 != 0x80 { count += 1 }
            isEscape = !isEscape && byte == 0
        }
        return count
    }
}
