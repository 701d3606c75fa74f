import ObjectModel
import Rows

/// Objects and values as a person reads them in an error.
extension RowClass {
    /// The most characters of a value that are shown.
    private static var shownCountMax: Int { 64 }

    /// Class and key of an object, such as `Person 'ann'`, or `Dog with $id 7` where the class has no
    /// primary key.
    func objectText(_ key: UInt64, _ row: RowView) -> String {
        guard let member = primaryKeyIndex else { return "\(definition.name) with $id \(key)" }
        return "\(definition.name) \(valueText(member, row))"
    }

    /// The value of a single property: a text in quotes, anything else as it is written in JSON; long ones
    /// are cut.
    func valueText(_ member: Int, _ row: RowView) -> String {
        let field = field(member, in: row)
        if field.isNull { return "null" }
        if members[member].storage.isInHeap, field.isOutOfLine {
            return "a text of \(field.textByteCount) bytes"
        }
        switch members[member].storage.element {
        case .bool: return field.slot.storedBool ? "true" : "false"
        case .int: return "\(field.slot.storedInt)"
        case .float: return "\(field.slot.storedFloat)"
        case .double: return "\(field.slot.storedDouble)"
        case .decimal: return field.slot.storedDecimal.description
        case .date: return field.slot.storedDate.description
        case .objectID: return field.slot.storedObjectID.description
        case .uuid: return field.slot.storedUUID.description
        case .link: return "a link to the object \(field.slot.storedLink)"
        case .string:
            let text = String(decoding: field.heap.prefix(4 * Self.shownCountMax), as: UTF8.self)
            let shown = text.prefix(Self.shownCountMax)
            return "'\(shown)\(shown.utf8.count < field.heap.count ? "…" : "")'"
        default: return "a value"
        }
    }
}
