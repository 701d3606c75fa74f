import Bytes
import ObjectModel

/// The values that a persisted enum allows, made ready for comparing. Immutable; any thread.
package final class EnumCases: Sendable {
    /// The declared values.
    package let values: [Value]
    private let keys: Set<[UInt8]>

    /// Makes a set of plain values.
    package init(_ values: [Value]) {
        self.values = values
        keys = Set(values.map { Self.key(of: $0) })
    }

    private static func key(of value: Value) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 32)
        switch value {
        // A text stands whole: an ordered key may be cut.
        case .string(let text): buffer.append(text)
        case .data(let bytes): buffer.append(bytes)
        default: OrderedKey.append(value, to: buffer)
        }
        return buffer.array
    }

    /// Whether a stored value is one of them. Numbers are compared as numbers.
    ///
    /// - `bytes`: The value's bytes, or those of a string or data value.
    package func holds(_ bytes: UnsafeRawBufferPointer, _ element: ElementStorage) -> Bool {
        if element.fixedByteCount == nil { return keys.contains(Array(bytes)) }
        let buffer = ByteBuffer(capacity: 32)
        OrderedKey.append(stored: bytes, element: element, to: buffer)
        return keys.contains(buffer.array)
    }
}
