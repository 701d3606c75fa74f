import HoldfastBytes
import HoldfastObjectModel

/// Collects the scalars of a list or set and encodes them for ``CollectionView``.
///
/// Reusable: ``reset(_:)`` keeps the memory. One thread at a time uses a builder.
package final class ScalarCollectionBuilder {
    private var element: ElementStorage = .int
    private let values = ByteBuffer(capacity: 256)
    private var ends: [Int] = []
    private var nulls: [Bool] = []

    package init() {}

    /// Starts a collection of `element`s.
    package func reset(_ element: ElementStorage) {
        self.element = element
        values.removeAll()
        ends.removeAllInPlace()
        nulls.removeAllInPlace()
    }

    /// The number of elements added.
    package var count: Int { ends.count }
    /// The total number of bytes of the elements.
    package var byteCount: Int { values.count }

    package func appendNull() {
        values.appendZeros(element.fixedByteCount ?? 0)
        ends.append(values.count)
        nulls.append(true)
    }

    /// Adds a value of the collection's type.
    package func append(_ value: InlineValue) {
        value.append(to: values)
        finishElement()
    }
    /// Adds a string or data value, or the bytes of a `mixed` value that is not null.
    package func append(text: UnsafeRawBufferPointer) {
        values.append(text)
        finishElement()
    }

    /// Adds a plain value of the collection's type, or null.
    package func append(value: Value) {
        if let value = InlineValue(value) { return append(value) }
        switch value {
        case .string(var text): text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { append(text: $0) }
        default: appendNull()
        }
    }

    /// Begins a collection of `mixed` values and adds all of them; nil stands for null.
    func append(mixed values: [[UInt8]?]) {
        reset(.mixed)
        for value in values {
            value?.withUnsafeBytes { append(text: $0) } ?? appendNull()
        }
    }

    private func finishElement() {
        ends.append(values.count)
        nulls.append(false)
    }

    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(rebasing: values.bytes[start..<ends[index]])
    }

    /// The bytes of the element added last, valid until another is added; nil for null.
    package var last: UnsafeRawBufferPointer? {
        guard let isNull = nulls.last, !isNull else { return nil }
        return bytes(ends.count - 1)
    }

    /// Appends the encoded collection.
    ///
    /// - `isSet`: Whether to sort the elements in value order, null first, and remove duplicates.
    package func write(to buffer: ByteBuffer, isSet: Bool) {
        guard isSet else { return write(count, { $0 }, to: buffer) }
        let keys = (element == .mixed ? 0..<0 : ends.indices).map { index in
            let key = ByteBuffer(capacity: 32)
            SetOrder.append(nulls[index] ? nil : bytes(index), element, to: key)
            return key
        }
        func order(_ a: Int, _ b: Int) -> Int {
            guard element == .mixed else { return compareKeys(keys[a].bytes, keys[b].bytes) }
            if nulls[a] || nulls[b] { return (nulls[a] ? 0 : 1) - (nulls[b] ? 0 : 1) }
            return MixedView.order(MixedView(bytes(a)), MixedView(bytes(b)))
        }
        // Of equal values, such as 1 and 1.0, the one added first is kept.
        let sorted = ends.indices.sorted { a, b in
            let order = order(a, b)
            return order == 0 ? a < b : order < 0
        }
        var distinct: [Int] = []
        distinct.reserveCapacity(sorted.count)
        for index in sorted where distinct.last.map({ order($0, index) != 0 }) ?? true {
            distinct.append(index)
        }
        write(distinct.count, { distinct[$0] }, to: buffer)
    }

    /// Appends `count` elements, from the positions that `position` returns.
    private func write(_ count: Int, _ position: (Int) -> Int, to buffer: ByteBuffer) {
        CollectionView.append(
            count: count, of: element, isNull: { nulls[position($0)] }, to: buffer
        ) { buffer.append(bytes(position($0))) }
    }
}

/// The order of the elements of a set. One thread at a time uses it.
package final class SetOrder {
    private let keys = (ByteBuffer(capacity: 32), ByteBuffer(capacity: 32))

    /// Makes an order.
    package init() {}

    /// Appends bytes that compare like the elements of a set: null first, then by value; links by object key, text by its bytes.
    ///
    /// - `bytes`: The element's bytes; nil for null.
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
