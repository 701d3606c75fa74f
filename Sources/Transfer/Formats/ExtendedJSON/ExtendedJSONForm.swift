import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// The form of objects in MongoDB's extended JSON, as mongoexport writes them.
struct ExtendedJSONForm: ObjectForm {
    /// The class of the objects.
    let rowClass: RowClass
    let schema: RowSchema
    let options: ImportOptions

    func write(_ object: JSONValue, to writer: JSONWriter) -> RequestFault.Entry? {
        write(object, rowClass, isOuter: true, writer)
        return nil
    }

    private func write(
        _ object: JSONValue, _ rowClass: RowClass, isOuter: Bool, _ writer: JSONWriter
    ) {
        let renames = isOuter && !options.names.isEmpty
        writer.object { members in
            for member in object.members {
                var name = String(decoding: member.name, as: UTF8.self)
                if renames {
                    guard let property = options.names.property(name) else { continue }
                    name = property
                }
                _ = members.member(named: name)
                if let position = rowClass.names.position(of: name) {
                    write(member.value, rowClass.members[position], writer)
                } else {
                    // The reader says that there is no such property, or leaves it out.
                    writer.copy(member.value)
                }
            }
        }
    }

    private func write(_ value: JSONValue, _ member: RowClass.Member, _ writer: JSONWriter) {
        guard member.isCollection(value) else { return writeElement(value, member, writer) }
        writer.each(of: value) { writeElement($0, member, $1) }
    }

    private func writeElement(_ value: JSONValue, _ member: RowClass.Member, _ writer: JSONWriter) {
        if member.storage.element == .mixed { return writeMixed(value, writer) }
        guard value.kind == .object else { return writer.copy(value) }
        switch member.storage.element {
        case .embedded: write(value, schema.classes[member.classIndex], isOuter: false, writer)
        case .link: writeLink(value, schema.classes[member.classIndex], writer)
        case let element:
            guard let extended = ExtendedJSON(value) else { return writer.copy(value) }
            extended.write(for: element, to: writer)
        }
    }

    /// Writes a link: its target's key, a reference `{"$ref","$id"}`, or the target in full.
    private func writeLink(_ value: JSONValue, _ target: RowClass, _ writer: JSONWriter) {
        let element = target.primaryKeyIndex.map { target.members[$0].storage.element } ?? .int
        if let extended = ExtendedJSON(value) {
            extended.write(for: element, to: writer)
        } else if value.member(named: "$ref") != nil, let id = value.member(named: "$id") {
            if let extended = ExtendedJSON(id) {
                extended.write(for: element, to: writer)
            } else {
                writer.copy(id)
            }
        } else if value.member(named: "$link") != nil {
            writer.copy(value)
        } else {
            write(value, target, isOuter: false, writer)
        }
    }

    private func writeMixed(_ value: JSONValue, _ writer: JSONWriter) {
        if let extended = ExtendedJSON(value) { return extended.write(for: .mixed, to: writer) }
        writer.each(of: value) { writeMixed($0, $1) }
    }
}
