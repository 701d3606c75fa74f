import ObjectModel
import Rows

extension GroupCoder {
    /// A coder of the keys of sections; nil where columns do not have them.
    static func coder(of key: SectionKey, _ schema: RowSchema) -> GroupCoder? {
        guard let prefixCount = key.prefixCount else {
            return coder(of: GroupKey(path: key.path, part: .value), schema)
        }
        guard let member = key.path.ownMember else { return nil }
        return TextGroupCoder(
            ColumnReference(classIndex: key.path.lastClass, member: member), .string,
            prefixCount: prefixCount)
    }

    /// A coder of what counts of a key's values; nil where columns do not have it.
    static func coder(of key: GroupKey, _ schema: RowSchema) -> GroupCoder? {
        let path = key.path
        guard let member = ownMember(path, schema) else {
            return LinkGroupCoder(path, part: key.part, schema: schema)
        }
        let reference = ColumnReference(classIndex: path.lastClass, member: member)
        if key.part != .value { return PartGroupCoder(key, reference) }
        let storage = path.type.storage
        return switch storage {
        case .int, .bool, .date, .link, .double, .float: NumberGroupCoder(reference, storage)
        case .string, .data, .uuid, .objectID: TextGroupCoder(reference, storage)
        default: nil
        }
    }

    /// The property of the root object whose value a path is, or whose elements.
    private static func ownMember(_ path: ValuePath, _ schema: RowSchema) -> Int? {
        guard path.steps.isEmpty, case .elements(let member) = path.terminal,
            [.list, .set].contains(schema.classes[path.lastClass].members[member].storage.shape)
        else { return path.ownMember }
        return member
    }
}
