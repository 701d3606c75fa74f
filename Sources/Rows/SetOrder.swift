import HoldfastBytes

/// The order of the elements of a set. One thread at a time uses it.
package final class SetOrder {
    private let keys = (ByteBuffer(capacity: 32), ByteBuffer(capacity: 32))

    /// Makes it ready.
    package init() {}

    /// Appends bytes that compare as the elements of a set do: null first, then by value; links by object
    /// key, text by its bytes.
    ///
    /// - `bytes`: The element's; nil for null.
    static func append(
        _ bytes: UnsafeRawBufferPointer?, _ element: ElementStorage, to buffer: ByteBuffer
    ) {
        guard let bytes else { return OrderedKey.appendNull(to: buffer) }
        switch element {
        case .link:
            buffer.append(1 as UInt8)
            buffer.append(big: bytes.loadUnaligned(as: UInt64.self))
        case .string, .data:
            // The bytes themselves order text exactly; an ordered key may be cut.
            buffer.append(1 as UInt8)
            buffer.append(bytes)
        default: OrderedKey.append(stored: bytes, element: element, to: buffer)
        }
    }

    private static func append(_ view: CollectionView, _ index: Int, to buffer: ByteBuffer) {
        append(view.isNull(index) ? nil : view.bytes(index), view.element, to: buffer)
    }

    /// Compares an element with another: negative, 0 or positive.
    package func compare(
        _ a: CollectionView, _ indexA: Int, _ b: CollectionView, _ indexB: Int
    ) -> Int {
        if a.element == .mixed, !a.isNull(indexA), !b.isNull(indexB) {
            return MixedView.order(MixedView(a.bytes(indexA)), MixedView(b.bytes(indexB)))
        }
        keys.0.removeAll()
        keys.1.removeAll()
        Self.append(a, indexA, to: keys.0)
        Self.append(b, indexB, to: keys.1)
        return compareKeys(keys.0.bytes, keys.1.bytes)
    }
}
