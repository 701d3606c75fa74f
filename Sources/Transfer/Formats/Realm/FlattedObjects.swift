import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

/// The objects of a flattened export, each written in full as JSON: a link becomes an object with the target's primary
/// key, or the target's index if its class has no primary key. One thread at a time.
final class FlattedObjects {
    /// How deep the values of an object nest.
    private static let depthMax = 128

    private let text: FlattedText
    private let schema: RowSchema
    private let rootParser = JSONParser()
    private let classParser = JSONParser()
    /// A parser for each level of the object that is being written.
    private var parsers: [JSONParser] = []
    private let buffer = ByteBuffer(capacity: 4096)
    /// Why the present object can't be written.
    private var fault: String?

    /// Takes a complete text.
    init(_ text: FlattedText, _ schema: RowSchema) {
        self.text = text
        self.schema = schema
    }

    /// Passes on every object: its class, its position there, its index, and its text or its fault.
    ///
    /// - Returns: False if the text does not have the form of an export.
    func forEach(
        _ body: (
            _ className: String, _ position: Int, _ index: Int, _ text: UnsafeRawBufferPointer,
            _ fault: String?
        ) -> Void
    ) -> Bool {
        guard let root = text.value(0, rootParser, depthMax: 2), root.kind == .object else {
            return false
        }
        for member in root.members {
            guard let name = String(validating: member.name, as: UTF8.self),
                let index = Self.index(member.value),
                let objects = text.value(index, classParser, depthMax: 2), objects.kind == .array
            else { return false }
            let rowClass = schema.rowClass(named: name)
            for (position, element) in objects.elements.enumerated() {
                guard let index = Self.index(element) else { return false }
                buffer.removeAll()
                fault = nil
                if let rowClass {
                    write(index, rowClass, level: 0, JSONWriter(buffer))
                } else {
                    buffer.append("{}")
                }
                body(name, position, index, buffer.bytes, fault)
            }
        }
        return true
    }

    /// The index that stands for a value; nil for a value that stands there itself.
    private static func index(_ value: JSONValue) -> Int? { value.string.flatMap { Int($0) } }

    private func value(_ index: Int, level: Int) -> JSONValue? {
        guard level < Self.depthMax else {
            fault = fault ?? "its values nest deeper than \(Self.depthMax) levels"
            return nil
        }
        guard buffer.count <= RealmJSONSplitter.objectByteCountMax else {
            fault = fault ?? "it has more than \(RealmJSONSplitter.objectByteCountMax) bytes"
            return nil
        }
        while parsers.count <= level { parsers.append(JSONParser()) }
        let value = text.value(index, parsers[level], depthMax: 2)
        if value == nil { fault = fault ?? "the value with the index \(index) is missing" }
        return value
    }

    private func write(_ index: Int, _ rowClass: RowClass, level: Int, _ writer: JSONWriter) {
        guard let object = value(index, level: level), object.kind == .object else {
            fault = fault ?? "the value with the index \(index) is not an object"
            return writer.null()
        }
        writer.members(of: object, rowClass) { value, property, _ in
            guard let property else { return writer.null() }
            write(value, property, level: level + 1, writer)
        }
    }

    private func write(
        _ stated: JSONValue, _ member: RowClass.Member, level: Int, _ writer: JSONWriter
    ) {
        guard let index = Self.index(stated), member.storage.shape != .single else {
            return writeElement(stated, member, level: level, writer)
        }
        guard let collection = value(index, level: level) else { return writer.null() }
        writer.each(of: collection) { writeElement($0, member, level: level + 1, $1) }
    }

    private func writeElement(
        _ stated: JSONValue, _ member: RowClass.Member, level: Int, _ writer: JSONWriter
    ) {
        guard let index = Self.index(stated),
            member.storage.element == .link || member.storage.element == .embedded
        else { return writePlain(stated, level: level, writer) }
        let target = schema.classes[member.classIndex]
        if member.storage.element == .embedded { return write(index, target, level: level, writer) }
        guard let key = target.primaryKeyIndex else { return writer.int(Int64(index)) }
        guard let object = value(index, level: level) else { return writer.null() }
        let name = target.definition.properties[key].name
        writer.object { link in
            for member in object.members where member.name.elementsEqual(name.utf8) {
                writePlain(member.value, level: level + 1, link.member(named: name))
            }
        }
    }

    /// Writes a value of any kind in full.
    private func writePlain(_ stated: JSONValue, level: Int, _ writer: JSONWriter) {
        guard let index = Self.index(stated) else { return writer.copy(stated) }
        guard let value = value(index, level: level) else { return writer.null() }
        writer.each(of: value) { writePlain($0, level: level + 1, $1) }
    }
}
