import HoldfastBytes
import HoldfastObjectModel

/// The values that a persisted enum allows, prepared for comparing. Immutable; any thread may use it.
package final class EnumCases: Sendable {
    package let values: [Value]
    /// The keys of the values, in the order of their bytes.
    private let keys: [[UInt8]]

    /// Makes a set of plain values.
    package init(_ values: [Value]) {
        self.values = values
        keys = values.map { Self.key(of: $0) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func key(of value: Value) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 32)
        switch value {
        // The complete text is used, because an ordered key may be cut.
        case .string(let text): buffer.append(text)
        case .data(let bytes): buffer.append(bytes)
        default: OrderedKey.append(value, to: buffer)
        }
        return buffer.array
    }

    /// Whether a stored value is one of the enum's values. Numbers are compared as numbers. Cost: a few comparisons.
    ///
    /// - `bytes`: The bytes of the slot or element, or the heap bytes of a string or data value.
    /// - `scratch`: Is overwritten.
    package func holds(
        _ bytes: UnsafeRawBufferPointer, _ element: ElementStorage, scratch: ByteBuffer
    ) -> Bool {
        if element.fixedByteCount == nil { return contains(bytes) }
        scratch.removeAll()
        OrderedKey.append(stored: bytes, element: element, to: scratch)
        return contains(scratch.bytes)
    }

    private func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        func order(_ index: Int) -> Int { keys[index].withUnsafeBytes { compareKeys($0, key) } }
        let index = partitionPoint(keys.count) { order($0) < 0 }
        return index < keys.count && order(index) == 0
    }
}
