import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

// The values of objects, as the lines have them.
extension RealmJSONConverter {
    /// Runs `body` for a value one level deeper, or writes null in its place when that is too deep.
    private func deeper(_ writer: JSONWriter, _ body: () -> Void) {
        guard depth < Self.valueDepthMax else {
            fault = fault ?? "its values nest deeper than \(Self.valueDepthMax) levels"
            return writer.null()
        }
        depth += 1
        body()
        depth -= 1
    }

    func write(_ object: JSONValue, _ rowClass: RowClass, _ writer: JSONWriter) {
        deeper(writer) {
            writer.members(of: object, rowClass, without: "$refId") { value, property, name in
                guard let property else { return write(value, writer) }
                write(value, property, name, writer)
            }
        }
    }

    private func write(
        _ value: JSONValue, _ member: RowClass.Member, _ name: String, _ writer: JSONWriter
    ) {
        guard member.isCollection(value) else { return writeElement(value, member, name, writer) }
        writer.each(of: value) { writeElement($0, member, name, $1) }
    }

    private func writeElement(
        _ value: JSONValue, _ member: RowClass.Member, _ name: String, _ writer: JSONWriter
    ) {
        guard value.kind == .object else { return write(value, writer) }
        switch member.storage.element {
        case .embedded: write(value, catalog.rows.classes[member.classIndex], writer)
        case .link: writeLink(value, catalog.rows.classes[member.classIndex], name, writer)
        default:
            guard let extended = ExtendedJSON(value) else { return write(value, writer) }
            extended.write(for: member.storage.element, to: writer)
        }
    }

    private func writeLink(
        _ value: JSONValue, _ target: RowClass, _ name: String, _ writer: JSONWriter
    ) {
        if let reference = value.member(named: "$refId") {
            let key =
                value.count > 1
                ? meet(value, reference, target, nil) : references[Self.text(reference)]
            if let key { return writer.buffer.append(key) }
            fault = fault ?? "the '$refId' in '\(name)' names no object"
        } else if let member = target.primaryKeyIndex {
            if let key = keyText(value, target, member) { return writer.buffer.append(key) }
        } else {
            fault =
                fault
                ?? "'\(name)' has a copy of an object of class '\(target.definition.name)', which "
                + "can't be identified without a primary key"
        }
        writer.null()
    }

    /// The primary key of an object as JSON; nil, with a fault, if the object lacks it.
    func keyText(_ object: JSONValue, _ rowClass: RowClass, _ member: Int) -> [UInt8]? {
        let name = rowClass.definition.properties[member].name
        for candidate in object.members where candidate.name.elementsEqual(name.utf8) {
            let buffer = ByteBuffer(capacity: 64)
            let writer = JSONWriter(buffer)
            if candidate.value.isNull {
                writer.object { object in
                    object.member("$link").object { link in
                        link.member("class").string(rowClass.definition.name)
                        link.member("id").null()
                    }
                }
            } else {
                writeElement(candidate.value, rowClass.members[member], name, writer)
            }
            return buffer.array
        }
        fault = fault ?? "an object of class '\(rowClass.definition.name)' lacks its key '\(name)'"
        return nil
    }

    // MARK: JSON as it stands

    static func text(_ reference: JSONValue) -> String {
        reference.string ?? reference.numberText.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func write(_ value: JSONValue, _ writer: JSONWriter) {
        deeper(writer) { writer.each(of: value) { write($0, $1) } }
    }
}
