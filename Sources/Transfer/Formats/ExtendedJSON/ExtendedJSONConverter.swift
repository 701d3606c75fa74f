import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// Converts MongoDB's extended JSON to the lines of an import into a class as it is received: one object a line, or an
/// array of objects, as mongoexport writes them.
///
/// An object becomes a line with the number of the line on which it begins; in an array of several on one line
/// each has a number of its own. Memory: one object. One thread at a time.
final class ExtendedJSONConverter: LineSource {
    private let rowClass: RowClass
    private let schema: RowSchema
    private let cutter: LineCutter
    private let options: ImportOptions
    private var splitter: ObjectSplitter
    private let parser = JSONParser()
    private let line = ByteBuffer(capacity: 4096)

    /// Makes a converter for an import into a class.
    init(
        _ rowClass: RowClass, _ schema: RowSchema, _ cutter: LineCutter, _ options: ImportOptions
    ) {
        self.rowClass = rowClass
        self.schema = schema
        self.cutter = cutter
        self.options = options
        splitter = ObjectSplitter(
            objectByteCountMax: options.limits.importLineByteCountMax,
            admits: { cutter.admits($0) })
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        splitter.append(bytes) { take($0, $1) }
        cutter.take(line)
    }

    func complete() {
        splitter.complete { take($0, $1) }
        cutter.take(line)
        cutter.complete()
    }

    private func take(_ number: Int, _ content: ObjectSplitter.Content) {
        cutter.take(line)
        // Faults have the number of the line in the text, as long as lines do not hold several objects.
        while cutter.nextNumber < number {
            let count = min(number - cutter.nextNumber, LineCutter.batchByteCount)
            for _ in 0..<count { line.append(UInt8(ascii: "\n")) }
            cutter.take(line)
        }
        switch content {
        case .object(let text): write(text)
        case .fault(let fault): note(fault)
        }
        line.append(UInt8(ascii: "\n"))
    }

    private func note(_ fault: RequestFault.Entry) {
        line.removeAll()
        cutter.note(fault)
    }

    private func write(_ text: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            let object = try parser.parse(text, depthMax: options.limits.jsonDepthMax)
            write(object, rowClass, isOuter: true, JSONWriter(line))
        } catch { note(RequestFault.Entry(line: error, in: text)) }
    }

    // MARK: Values

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

extension RequestFault.Entry {
    /// The fault of a line of an import that is no JSON.
    init(line error: JSONError, in text: UnsafeRawBufferPointer) {
        var detail = "The line is not a JSON object: \(error.message)."
        if error.code == .invalidUTF8 {
            detail += " Convert the text first, such as by iconv -f WINDOWS-1252 -t UTF-8."
        }
        self.init(
            code: error.code == .tooDeep ? "too-deep" : "malformed-json", detail: detail,
            column: error.position(in: text).column)
    }
}
