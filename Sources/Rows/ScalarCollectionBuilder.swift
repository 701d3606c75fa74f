import Bytes
import ObjectModel

/// Collects the scalars of a list or set and encodes them as ``CollectionView`` reads them.
///
/// Reusable: ``reset(_:)`` keeps the memory. One thread at a time uses a builder.
package final class ScalarCollectionBuilder {
    private var element: ElementStorage = .int
    private let values = ByteBuffer(capacity: 256)
    private var ends: [Int] = []
    private var nulls: [Bool] = []
    private var hasNull = false

    /// Makes an empty builder.
    package init() {}

    /// Starts a collection of `element`s.
    package func reset(_ element: ElementStorage) {
        self.element = element
        values.removeAll()
        ends.removeAllInPlace()
        nulls.removeAllInPlace()
        hasNull = false
    }

    /// How many elements were added.
    package var count: Int { ends.count }
    /// How many bytes they have together.
    package var byteCount: Int { values.count }

    /// Adds null.
    package func appendNull() {
        values.appendZeros(element.fixedByteCount ?? 0)
        ends.append(values.count)
        nulls.append(true)
        hasNull = true
    }

    private func finishElement() {
        ends.append(values.count)
        nulls.append(false)
    }

    /// Adds a bool.
    package func append(_ value: Bool) {
        values.append((value ? 1 : 0) as UInt8)
        finishElement()
    }
    /// Adds an int.
    package func append(_ value: Int64) {
        values.append(little: value)
        finishElement()
    }
    /// Adds a double; every NaN becomes the one quiet NaN.
    package func append(_ value: Double) {
        values.append(little: (value.isNaN ? Double.nan : value).bitPattern)
        finishElement()
    }
    /// Adds a float; every NaN becomes the one quiet NaN.
    package func append(_ value: Float) {
        values.append(little: (value.isNaN ? Float.nan : value).bitPattern)
        finishElement()
    }
    /// Adds a decimal.
    package func append(_ value: Decimal128) {
        values.append(little: value.low)
        values.append(little: value.high)
        finishElement()
    }
    /// Adds a date.
    package func append(_ value: Timestamp) {
        values.append(little: value.seconds)
        values.append(little: value.nanoseconds)
        finishElement()
    }
    /// Adds an object identifier.
    package func append(_ value: ObjectID) {
        values.append(big: value.high)
        values.append(big: value.low)
        finishElement()
    }
    /// Adds a UUID.
    package func append(_ value: UUID128) {
        values.append(big: value.high)
        values.append(big: value.low)
        finishElement()
    }
    /// Adds a string or data value, or the bytes of a `mixed` one that is not null.
    package func append(text: UnsafeRawBufferPointer) {
        values.append(text)
        finishElement()
    }

    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(rebasing: values.bytes[start..<ends[index]])
    }

    /// The bytes of the element that was added last, until another one is; nil for null.
    package var last: UnsafeRawBufferPointer? {
        guard let isNull = nulls.last, !isNull else { return nil }
        return bytes(ends.count - 1)
    }

    /// Appends the encoded collection.
    ///
    /// - `isSet`: Sorts the elements in value order, null first, and keeps equal ones once.
    package func write(to buffer: ByteBuffer, isSet: Bool) {
        if !isSet { return write(ends.indices, to: buffer) }
        if element == .mixed { return write(mixedOrder(), to: buffer) }
        let keys = ends.indices.map { index in
            let key = ByteBuffer(capacity: 32)
            SetOrder.append(nulls[index] ? nil : bytes(index), element, to: key)
            return key
        }
        var order = Array(ends.indices)
        order.sort { compareKeys(keys[$0].bytes, keys[$1].bytes) < 0 }
        var distinct: [Int] = []
        distinct.reserveCapacity(order.count)
        for index in order {
            if let last = distinct.last,
                compareKeys(keys[last].bytes, keys[index].bytes) == 0
            {
                continue
            }
            distinct.append(index)
        }
        write(distinct, to: buffer)
    }

    /// The positions of distinct `mixed` values in their order.
    private func mixedOrder() -> [Int] {
        func order(_ a: Int, _ b: Int) -> Int {
            if nulls[a] || nulls[b] { return (nulls[a] ? 0 : 1) - (nulls[b] ? 0 : 1) }
            return MixedView.order(MixedView(bytes(a)), MixedView(bytes(b)))
        }
        var sorted = Array(ends.indices)
        sorted.sort {
            let order = order($0, $1)
            return order == 0 ? $0 < $1 : order < 0
        }
        var distinct: [Int] = []
        distinct.reserveCapacity(sorted.count)
        for index in sorted where distinct.last.map({ order($0, index) != 0 }) ?? true {
            distinct.append(index)
        }
        return distinct
    }

    private func write(_ order: some Collection<Int>, to buffer: ByteBuffer) {
        let withNulls = hasNull
        buffer.append(little: UInt32(order.count))
        buffer.append(little: (withNulls ? 1 : 0) as UInt32)
        if withNulls {
            let bitmap = buffer.count
            buffer.appendZeros((order.count + 7) / 8)
            for (position, index) in order.enumerated() where nulls[index] {
                let offset = bitmap + position / 8
                buffer.store(buffer.bytes[offset] | 1 << UInt8(position % 8), at: offset)
            }
        }
        if element.fixedByteCount == nil {
            var end: UInt32 = 0
            for index in order {
                end += UInt32(bytes(index).count)
                buffer.append(little: end)
            }
        }
        for index in order { buffer.append(bytes(index)) }
    }
}
