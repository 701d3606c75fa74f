import HoldfastObjectModel
import HoldfastRows

/// A value to compare, with the bytes that it lies in.
struct OwnedValue {
    /// The value; valid as long as this one is.
    let compared: ComparedValue
    private let bytes: TextConstant?

    /// A stored value, or null at nil.
    init(_ address: UnsafeRawPointer?, _ count: Int, _ storage: ElementStorage) {
        let copy = TextConstant(UnsafeRawBufferPointer(start: address, count: count))
        bytes = copy
        compared = address == nil ? ComparedValue() : ComparedValue(text: copy.bytes, storage)
    }

    /// A constant.
    init(_ value: Value) {
        bytes = TextConstant(value)
        compared = ComparedValue(value, text: bytes)
    }
}
