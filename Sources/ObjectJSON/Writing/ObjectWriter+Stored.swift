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
        guard case .link = path.type else { return write(stored: bytes, path.type.storage) }
        switch path.terminal {
        case .value(let member), .elementAt(let member, _), .elements(let member):
            let selection = FieldSelection(
                only: member, of: names.schema.classes[path.lastClass], named: "value")
            guard let address = bytes.baseAddress, let step = selection.steps.first,
                writeTarget(
                    address.loadUnaligned(as: UInt64.self), step, selection, isExpanded: false)
            else { return json.null() }
        default: json.null()
        }
    }
}
