import HoldfastBytes
import HoldfastObjectModel

/// Appends `mixed` values in the encoding of ``MixedView``.
///
/// Lists and maps are written around their parts:
///
///     let table = writer.begin(.list, count: 2)
///     writer.int(1)
///     writer.close(0, of: table)
///     writer.null()
///     writer.close(1, of: table)
package struct MixedWriter {
    /// The buffer to append values to.
    package let buffer: ByteBuffer

    /// The table of a list or map that is being written.
    package struct Table {
        fileprivate var offset: Int
        /// The offset of the parts.
        fileprivate var start: Int
    }

    /// Writes at the end of `buffer`.
    package init(_ buffer: ByteBuffer) { self.buffer = buffer }

    private func tag(_ kind: MixedKind) { buffer.append(kind.rawValue) }

    /// Writes null, within a list or map.
    package func null() { tag(.null) }
    /// Writes a plain value of fixed width.
    package func inline(_ value: InlineValue) {
        tag(MixedKind(stored: value.element))
        value.append(to: buffer)
    }
    /// Writes a string of UTF-8. It must not lie in the buffer.
    package func string(_ text: UnsafeRawBufferPointer) {
        tag(.string)
        buffer.append(text)
    }
    /// Writes bytes. They must not lie in the buffer.
    package func data(_ bytes: UnsafeRawBufferPointer) {
        tag(.data)
        buffer.append(bytes)
    }
    /// Writes a link to the object `key` of the class with `classNumber`.
    package func link(classNumber: UInt32, key: UInt64) {
        tag(.link)
        buffer.append(little: classNumber)
        buffer.append(little: key)
    }

    /// Begins a list or map of `count` elements or entries. Write and close each part next.
    package func begin(_ kind: MixedKind, count: Int) -> Table {
        tag(kind)
        buffer.append(little: UInt32(truncatingIfNeeded: count))
        let offset = buffer.count
        buffer.appendZeros(4 * count * (kind == .map ? 2 : 1))
        return Table(offset: offset, start: buffer.count)
    }

    /// Ends a part. Element i of a list is part i. The key of a map's entry i is part 2i, its value part 2i + 1.
    package func close(_ part: Int, of table: Table) {
        buffer.store(
            UInt32(truncatingIfNeeded: buffer.count - table.start), at: table.offset + 4 * part)
    }

    /// Writes a value. A link becomes null, because its object is unknown here.
    package func value(_ value: Value) {
        if let value = InlineValue(value) { return inline(value) }
        switch value {
        case .string(var value): value.withUTF8 { string(UnsafeRawBufferPointer($0)) }
        case .data(let value): value.withUnsafeBytes { data($0) }
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
        default: null()
        }
    }

    /// Writes a copy of a value. It must not lie in the buffer.
    package func copy(_ value: MixedView) { value.isNull ? null() : buffer.append(value.bytes) }

    /// Writes a copy of a value in which some links are null.
    ///
    /// - `value`: Must not lie in the buffer.
    /// - `losesElements`: Whether lists lose the elements that are such links.
    /// - Returns: Whether there were such links.
    @discardableResult
    package func copy(
        _ value: MixedView, losesElements: Bool = false, depth: Int = 0,
        withoutLinks isLost: ((classNumber: UInt32, key: UInt64)) -> Bool
    ) -> Bool {
        let kind = value.kind
        guard kind == .list || kind == .map, depth < ModelLimits.mixedDepthMax else {
            let isLoss = value.link.map(isLost) ?? false
            isLoss ? null() : copy(value)
            return isLoss
        }
        var isLoss = false
        let kept = (0..<value.count).filter { index in
            guard losesElements, kind == .list else { return true }
            return value.element(index).link.map { !isLost($0) } ?? true
        }
        let table = begin(kind, count: kept.count)
        for (position, index) in kept.enumerated() {
            if kind == .map {
                buffer.append(value.key(index))
                close(2 * position, of: table)
            }
            let isLossy = copy(
                value.element(index), losesElements: losesElements, depth: depth + 1,
                withoutLinks: isLost)
            isLoss = isLoss || isLossy
            close(kind == .map ? 2 * position + 1 : position, of: table)
        }
        return isLoss || kept.count < value.count
    }
}
