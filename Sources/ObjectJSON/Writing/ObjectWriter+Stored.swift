import HoldfastJSON
import HoldfastQuery
import HoldfastRows

extension ObjectWriter {
    /// Writes a value from its stored bytes.
    package func write(stored bytes: UnsafeRawBufferPointer, _ element: ElementStorage) {
        switch element {
        case .string: json.string(bytes)
        case .data: json.base64(bytes)
        case .mixed: write(mixed: MixedView(bytes))
        default:
            guard let address = bytes.baseAddress else { return json.null() }
            write(fixed: address, element)
        }
    }

    /// Writes the value at the end of a path: nil as null, a link as its target's key.
    package mutating func write(_ bytes: UnsafeRawBufferPointer?, _ path: ValuePath) {
        guard let bytes else { return json.null() }
        guard case .link(let classIndex) = path.type else {
            return write(stored: bytes, path.type.storage)
        }
        guard let address = bytes.baseAddress, writeTarget(address.storedLink, of: classIndex)
        else { return json.null() }
    }
}
