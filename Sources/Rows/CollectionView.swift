import HoldfastBytes
import HoldfastObjectModel

/// A list or set, or the keys or values of a map, read in place.
///
///     offset  bytes  field
///     0       4      element count n
///     4       4      bit 0: a null bitmap follows
///     8       (n+7)/8 if so: null bitmap
///     …       4·n    for values of variable width: where each ends, from the end of this table
///     …       …      the elements, packed
public struct CollectionView {
    /// The number of elements.
    public let count: Int
    /// The storage of each element.
    public let element: ElementStorage
    @usableFromInline let nulls: UnsafeRawPointer?
    @usableFromInline let ends: UnsafeRawPointer
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let stride: Int
    @usableFromInline let byteCount: Int

    /// Reads the collection in `bytes`; empty if the bytes are damaged.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer, element: ElementStorage) {
        let stride = element.fixedByteCount ?? 0
        guard bytes.count >= 8, let base = bytes.baseAddress else {
            self.init(emptyOf: element)
            return
        }
        let count = Int(base.loadUnaligned(as: UInt32.self))
        let flags = base.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        let bitmapByteCount = flags & 1 != 0 ? (count + 7) / 8 : 0
        let startOffset = 8 + bitmapByteCount + (stride == 0 ? 4 * count : 0)
        guard startOffset + stride * count <= bytes.count else {
            self.init(emptyOf: element)
            return
        }
        self.init(
            count: count, element: element, nulls: bitmapByteCount > 0 ? base + 8 : nil,
            ends: base + 8 + bitmapByteCount, start: base + startOffset, stride: stride,
            byteCount: bytes.count - startOffset)
    }

    /// The address of an empty collection; never read.
    @usableFromInline nonisolated(unsafe) static let nothing = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8))

    @inlinable init(emptyOf element: ElementStorage) {
        self.init(
            count: 0, element: element, nulls: nil, ends: Self.nothing, start: Self.nothing,
            stride: element.fixedByteCount ?? 0, byteCount: 0)
    }

    @inlinable init(
        count: Int, element: ElementStorage, nulls: UnsafeRawPointer?, ends: UnsafeRawPointer,
        start: UnsafeRawPointer, stride: Int, byteCount: Int
    ) {
        self.count = count
        self.element = element
        self.nulls = nulls
        self.ends = ends
        self.start = start
        self.stride = stride
        self.byteCount = byteCount
    }

    /// Whether the element at `index` is null.
    @inlinable public func isNull(_ index: Int) -> Bool {
        guard let nulls else { return false }
        return nulls.load(fromByteOffset: index >> 3, as: UInt8.self) & (1 << UInt8(index & 7)) != 0
    }

    /// Returns the bytes of the element at `index`.
    ///
    /// - Precondition: `index` lies in `0 ..< count`.
    @inlinable public func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count)
        if stride > 0 {
            return UnsafeRawBufferPointer(start: start + index * stride, count: stride)
        }
        let from =
            index == 0 ? 0 : Int(ends.loadUnaligned(fromByteOffset: 4 * index - 4, as: UInt32.self))
        let to = Int(ends.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        guard from <= to, to <= byteCount else {
            return UnsafeRawBufferPointer(start: start, count: 0)
        }
        return UnsafeRawBufferPointer(start: start + from, count: to - from)
    }

    /// Whether an element has the same bytes as one of another collection, or both are null.
    package func isSame(_ index: Int, _ other: CollectionView, _ otherIndex: Int) -> Bool {
        let isNull = isNull(index)
        return isNull == other.isNull(otherIndex)
            && (isNull || compareKeys(bytes(index), other.bytes(otherIndex)) == 0)
    }

    /// Returns the address of the fixed-width element at `index`.
    ///
    /// - Precondition: The elements have a fixed width and `index` lies in `0 ..< count`.
    @inlinable public func pointer(_ index: Int) -> UnsafeRawPointer {
        precondition(index >= 0 && index < count && stride > 0)
        return start + index * stride
    }
}

extension CollectionView {
    /// Appends a collection of `count` elements.
    ///
    /// - `append`: Appends the bytes of an element that is not null.
    static func append(
        count: Int, of element: ElementStorage, isNull: (Int) -> Bool, to buffer: ByteBuffer,
        _ append: (Int) -> Void
    ) {
        let hasNull = (0..<count).contains(where: isNull)
        appendHead(count, hasNull, isNull, to: buffer)
        let table = buffer.count
        let width = element.fixedByteCount
        if width == nil { buffer.appendZeros(4 * count) }
        let start = buffer.count
        for index in 0..<count {
            if !hasNull || !isNull(index) {
                append(index)
            } else if let width {
                buffer.appendZeros(width)
            }
            if width == nil { buffer.store(UInt32(buffer.count - start), at: table + 4 * index) }
        }
    }

    /// Appends the part before the elements and the table of their ends: the element count and the null bitmap.
    @inline(__always)
    private static func appendHead(
        _ count: Int, _ hasNull: Bool, _ isNull: (Int) -> Bool, to buffer: ByteBuffer
    ) {
        buffer.append(little: UInt32(count))
        buffer.append(little: (hasNull ? 1 : 0) as UInt32)
        if hasNull { buffer.appendBits(count, where: isNull) }
    }

    /// The number of bytes of an element in the table of ends.
    var tableByteCount: Int { stride > 0 ? 0 : 4 }

    /// Returns the end of the elements before `index`, counted from the start of the first one.
    private func offset(_ index: Int) -> Int {
        if stride > 0 { return index * stride }
        if index == 0 { return 0 }
        return min(
            Int(ends.loadUnaligned(fromByteOffset: 4 * index - 4, as: UInt32.self)), byteCount)
    }

    /// Returns the number of bytes of adjacent elements, without tables.
    package func byteCount(_ range: Range<Int>) -> Int {
        max(offset(range.upperBound) - offset(range.lowerBound), 0)
    }

    /// Appends adjacent elements of collections of one kind as one collection.
    package static func append(
        _ slices: [(view: CollectionView, range: Range<Int>)], to buffer: ByteBuffer
    ) {
        let count = slices.reduce(0) { $0 + $1.range.count }
        let hasNull = slices.contains { slice in
            slice.view.nulls != nil && slice.range.contains { slice.view.isNull($0) }
        }
        var next = (slice: 0, offset: 0)
        func isNextNull(_: Int) -> Bool {
            while next.offset == slices[next.slice].range.count { next = (next.slice + 1, 0) }
            let (view, range) = slices[next.slice]
            next.offset += 1
            return view.isNull(range.lowerBound + next.offset - 1)
        }
        appendHead(count, hasNull, isNextNull, to: buffer)
        if let first = slices.first, first.view.stride == 0 {
            var end = 0
            for slice in slices {
                let start = slice.view.offset(slice.range.lowerBound)
                for index in slice.range {
                    buffer.append(little: UInt32(end + slice.view.offset(index + 1) - start))
                }
                end += slice.view.byteCount(slice.range)
            }
        }
        for slice in slices {
            let start = slice.view.offset(slice.range.lowerBound)
            buffer.append(
                UnsafeRawBufferPointer(
                    start: slice.view.start + start, count: slice.view.byteCount(slice.range)))
        }
    }
}

extension ByteBuffer {
    /// Appends a bitmap of `count` bits, the lowest of each byte first.
    ///
    /// - `isSet`: Called once for each position, in order.
    @inline(__always)
    func appendBits(_ count: Int, where isSet: (Int) -> Bool) {
        let bitmap = self.count
        appendZeros((count + 7) / 8)
        for position in 0..<count where isSet(position) {
            let offset = bitmap + position / 8
            store(bytes[offset] | 1 << UInt8(position % 8), at: offset)
        }
    }
}
