import Bytes
import ObjectModel

/// The value of one property, assembled even where it is stored out of line. Valid as long as the
/// row.
struct StoredField {
    /// How it is stored.
    let storage: FieldStorage
    /// Whether it is null.
    let isNull: Bool
    /// The bytes of the slot, or those in the heap.
    let bytes: UnsafeRawBufferPointer
    /// Keeps the bytes of a collection that was put together.
    private let buffer: ByteBuffer?

    /// Reads a field. An out-of-line collection is assembled, which costs time linear in its size.
    init(_ field: Field, _ storage: FieldStorage, _ source: any OverflowSource) {
        self.storage = storage
        isNull = field.isNull
        guard !isNull, storage.isInHeap else {
            buffer = nil
            bytes =
                isNull || storage.shape == .none
                ? UnsafeRawBufferPointer(start: nil, count: 0)
                : UnsafeRawBufferPointer(start: field.slot, count: storage.slotByteCount)
            return
        }
        guard storage.shape != .single, field.isOutOfLine else {
            buffer = nil
            bytes = storage.shape == .single ? field.text(source) : field.heap
            return
        }
        let buffer = ByteBuffer(capacity: 64 * 1024)
        var slices: [LeafSlice] = []
        StoredCollection(field, storage, source).forEachPart { part, _ in
            slices.append(LeafSlice(part, 0..<part.count))
            return true
        }
        LeafSlice.append(slices, storage, to: buffer)
        self.buffer = buffer
        bytes = buffer.bytes
    }

    /// The elements of a list or set, or the values of a map.
    var elements: CollectionView { LeafView(bytes, storage).values }

    /// Whether there is anything that would be lost with the property: a value, or an element.
    var holdsData: Bool {
        if storage.shape == .none || isNull { return false }
        return storage.shape == .single || elements.count > 0
    }

    /// The plain values: one of a single property.
    var values: [Value] {
        if storage.shape == .single {
            return [isNull ? .null : Value(stored: bytes, storage.element)]
        }
        if isNull { return [] }
        let view = elements
        return (0..<view.count).map {
            view.isNull($0) ? .null : Value(stored: view.bytes($0), storage.element)
        }
    }

    /// The links: at most one of a single property.
    var links: [UInt64] {
        if isNull { return [] }
        if storage.shape == .single { return bytes.baseAddress.map { [$0.storedLink] } ?? [] }
        let view = elements
        return (0..<view.count).filter { !view.isNull($0) }.map { view.pointer($0).storedLink }
    }

    /// The embedded rows: at most one of a single property.
    var rows: [RowView] {
        if isNull { return [] }
        if storage.shape == .single { return RowView(bytes).map { [$0] } ?? [] }
        let view = elements
        return (0..<view.count).compactMap { view.isNull($0) ? nil : RowView(view.bytes($0)) }
    }

    /// The part of a map that is not empty in which its keys lie.
    var keyBytes: UnsafeRawBufferPointer {
        let count = bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self)) + 4
        return UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
    }
}
