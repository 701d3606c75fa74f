import Bytes
import ObjectModel

/// Appends `mixed` values in the form that ``MixedView`` reads.
///
/// Lists and maps are written around their parts:
///
///     let table = writer.begin(.list, count: 2)
///     writer.int(1)
///     writer.close(0, of: table)
///     writer.null()
///     writer.close(1, of: table)
package struct MixedWriter {
    /// Where values go, at its end.
    package let buffer: ByteBuffer

    /// The table of a list or map that is being written.
    package struct Table {
        /// Where it begins.
        fileprivate var offset: Int
        /// Where the parts begin.
        fileprivate var start: Int
    }

    /// Writes at the end of `buffer`.
    package init(_ buffer: ByteBuffer) { self.buffer = buffer }

    private func tag(_ kind: MixedKind) { buffer.append(kind.rawValue) }

    /// Writes null, within a list or map.
    package func null() { tag(.null) }
    /// Writes a bool.
    package func bool(_ value: Bool) {
        tag(.bool)
        buffer.append((value ? 1 : 0) as UInt8)
    }
    /// Writes an int.
    package func int(_ value: Int64) {
        tag(.int)
        buffer.append(little: value)
    }
    /// Writes a double; every NaN becomes the one quiet NaN.
    package func double(_ value: Double) {
        tag(.double)
        buffer.append(little: (value.isNaN ? Double.nan : value).bitPattern)
    }
    /// Writes a float; every NaN becomes the one quiet NaN.
    package func float(_ value: Float) {
        tag(.float)
        buffer.append(little: (value.isNaN ? Float.nan : value).bitPattern)
    }
    /// Writes a decimal.
    package func decimal(_ value: Decimal128) {
        tag(.decimal)
        buffer.append(little: value.low)
        buffer.append(little: value.high)
    }
    /// Writes a string of UTF-8, which does not lie in the buffer.
    package func string(_ text: UnsafeRawBufferPointer) {
        tag(.string)
        buffer.append(text)
    }
    /// Writes bytes, which do not lie in the buffer.
    package func data(_ bytes: UnsafeRawBufferPointer) {
        tag(.data)
        buffer.append(bytes)
    }
    /// Writes a date.
    package func date(_ value: Timestamp) {
        tag(.date)
        buffer.append(little: value.seconds)
        buffer.append(little: value.nanoseconds)
    }
    /// Writes an object identifier.
    package func objectID(_ value: ObjectID) {
        tag(.objectID)
        buffer.append(big: value.high)
        buffer.append(big: value.low)
    }
    /// Writes a UUID.
    package func uuid(_ value: UUID128) {
        tag(.uuid)
        buffer.append(big: value.high)
        buffer.append(big: value.low)
    }
    /// Writes a link to the object `key` of the class with a number.
    package func link(classNumber: UInt32, key: UInt64) {
        tag(.link)
        buffer.append(little: classNumber)
        buffer.append(little: key)
    }

    /// Begins a list or map of so many elements or entries; their parts follow, each closed.
    package func begin(_ kind: MixedKind, count: Int) -> Table {
        tag(kind)
        buffer.append(little: UInt32(truncatingIfNeeded: count))
        let offset = buffer.count
        buffer.appendZeros(4 * count * (kind == .map ? 2 : 1))
        return Table(offset: offset, start: buffer.count)
    }

    /// Ends a part: element i of a list is part i; of a map's entry i the key is part 2i, the value
    /// part 2i + 1.
    package func close(_ part: Int, of table: Table) {
        buffer.store(
            UInt32(truncatingIfNeeded: buffer.count - table.start), at: table.offset + 4 * part)
    }

    /// Writes a value; a link becomes null, as it can't be told which object it means.
    package func value(_ value: Value) {
        switch value {
        case .null, .link: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .float(let value): float(value)
        case .decimal(let value): decimal(value)
        case .string(var value): value.withUTF8 { string(UnsafeRawBufferPointer($0)) }
        case .data(let value): value.withUnsafeBytes { data($0) }
        case .date(let value): date(value)
        case .objectID(let value): objectID(value)
        case .uuid(let value): uuid(value)
        case .list(let values):
            let table = begin(.list, count: values.count)
            for (index, element) in values.enumerated() {
                self.value(element)
                close(index, of: table)
            }
        case .map(let entries):
            let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let table = begin(.map, count: sorted.count)
            for (index, entry) in sorted.enumerated() {
                buffer.append(entry.key)
                close(2 * index, of: table)
                self.value(entry.value)
                close(2 * index + 1, of: table)
            }
        }
    }

    /// Writes a copy of a value, which does not lie in the buffer.
    package func copy(_ value: MixedView) {
        value.isNull ? null() : buffer.append(value.bytes)
    }

    /// Writes a copy of a value without its links to one object, which is going away: lists lose the
    /// element, anywhere else the link becomes null.
    ///
    /// - `value`: Does not lie in the buffer.
    package func copy(_ value: MixedView, withoutLinksTo target: (classNumber: UInt32, key: UInt64))
    {
        copy(value, without: target, depth: 0)
    }

    private func copy(
        _ value: MixedView, without target: (classNumber: UInt32, key: UInt64), depth: Int
    ) {
        let kind = value.kind
        guard kind == .list || kind == .map, depth < ModelLimits.mixedDepthMax else {
            if let link = value.link, link == target { return null() }
            return copy(value)
        }
        if kind == .map {
            let table = begin(.map, count: value.count)
            for index in 0..<value.count {
                buffer.append(value.key(index))
                close(2 * index, of: table)
                copy(value.element(index), without: target, depth: depth + 1)
                close(2 * index + 1, of: table)
            }
            return
        }
        let kept = (0..<value.count).filter { index in
            value.element(index).link.map { $0 != target } ?? true
        }
        let table = begin(.list, count: kept.count)
        for (position, index) in kept.enumerated() {
            copy(value.element(index), without: target, depth: depth + 1)
            close(position, of: table)
        }
    }
}
