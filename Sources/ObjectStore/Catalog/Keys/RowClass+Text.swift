import HoldfastObjectModel
import HoldfastRows

/// Objects and values as a person reads them in an error.
extension RowClass {
    /// Class and key of an object, such as `Person 'ann'`, or `Dog with $id 7` where the class has no primary key.
    func objectText(_ key: UInt64, _ row: RowView) -> String {
        guard let member = primaryKeyIndex else { return "\(definition.name) with $id \(key)" }
        return "\(definition.name) \(valueText(member, row))"
    }

    /// The value of a single property, as `Value.shown` has it.
    func valueText(_ member: Int, _ row: RowView) -> String {
        let field = field(member, in: row)
        if field.isNull { return "null" }
        if members[member].storage.isInHeap, field.isOutOfLine {
            return "a text of \(field.textByteCount) bytes"
        }
        let element = members[member].storage.element
        if element == .link { return "a link to the object \(field.slot.storedLink)" }
        let slot = UnsafeRawBufferPointer(start: field.slot, count: element.fixedByteCount ?? 0)
        return Value(stored: members[member].storage.isInHeap ? field.heap : slot, element).shown
    }
}

extension Value {
    /// The most characters of a text that are shown.
    private static let shownCountMax = 64

    /// The value as a message shows it: a text in quotes, anything else as it is written in JSON; long ones are cut.
    var shown: String {
        switch self {
        case .null: return "null"
        case .bool(let truth): return "\(truth)"
        case .int(let number): return "\(number)"
        case .float(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .decimal(let number): return "\(number)"
        case .date(let date): return "\(date)"
        case .objectID(let id): return "\(id)"
        case .uuid(let id): return "\(id)"
        case .string(let text):
            let shown = text.prefix(Self.shownCountMax)
            return "'\(shown)\(shown.utf8.count < text.utf8.count ? "…" : "")'"
        case .data, .link, .list, .map: return "a value"
        }
    }
}
