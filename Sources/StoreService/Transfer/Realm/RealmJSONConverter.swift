import Bytes
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows

/// Turns the JSON that Realm Studio exports (`{"Class":[{…},…],…}`) into the lines of a whole store's
/// import.
///
/// A link stands there as the object that it leads to. One with a primary key becomes that key, because
/// the object is listed under its own class too. Where an export has circles, each object has a `$refId`,
/// is written in full where it is met first, and stands for itself by `{"$refId":…}` from then on: such
/// objects get a line of their own wherever they are met. One thread at a time.
package final class RealmJSONConverter {
    /// An object that can't be imported.
    package struct Fault: Sendable {
        /// Its class and its position in the class's array, from 0.
        package var location: String
        /// What is wrong.
        package var detail: String
    }

    /// How deep objects nest in the text, where each is written in full where it is met first: a list of
    /// linked objects is as deep as it is long.
    private static let depthMax = 10_000
    /// How deep the values of one object nest, which are written recursively.
    private static let valueDepthMax = ImportOptions().jsonDepthMax

    /// An object that has a reference and is to get a line.
    private struct Waiting {
        var object: JSONValue
        var rowClass: RowClass
        var id: [UInt8]?
        /// Its position in its class's array; nil for one that was met in another object.
        var position: Int?
    }

    private let catalog: Catalog
    private let onlyClass: String?
    private let output: (UnsafeRawBufferPointer) -> Void
    private var splitter = RealmJSONSplitter()
    private let parser = JSONParser()
    private let nameParser = JSONParser()
    private let buffer = ByteBuffer(capacity: 4096)
    /// The keys, as JSON, of the objects that have been met, by `$refId`.
    private var references: [String: [UInt8]] = [:]
    private var lastID: UInt64 = 0
    private var positions: [String: Int] = [:]
    /// The objects with references that were met in the present one.
    private var waiting: [Waiting] = []
    /// How deep the value that is being written lies in its object.
    private var depth = 0
    /// What is wrong with the present object.
    private var fault: String?
    /// Where each line came from, by the first line of a run of one class.
    private var lineCount = 1
    private var places: [(line: Int, name: String, position: Int)] = []
    /// The objects that got no line.
    package private(set) var faults: [Fault] = []

    /// Makes a converter; the header goes to the output at once.
    ///
    /// - Parameters:
    ///   - catalog: Of the store that is going to take the lines.
    ///   - onlyClass: The class whose objects alone are taken; nil for all.
    ///   - output: Gets whole lines, valid during the call.
    package init(
        _ catalog: Catalog, onlyClass: String?, _ output: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        self.catalog = catalog
        self.onlyClass = onlyClass
        self.output = output
        StoreHeader(catalog).write(to: JSONWriter(buffer))
        buffer.append(UInt8(ascii: "\n"))
        output(buffer.bytes)
    }

    /// Takes the next bytes of the text.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when it is not of Realm Studio's form.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
        do throws(RealmJSONSplitter.Malformed) {
            var splitter = splitter
            try splitter.append(bytes) { name, object in take(name, object) }
            self.splitter = splitter
        } catch {
            throw Self.fault(error)
        }
    }

    /// The text is complete.
    ///
    /// - Throws: As ``append(_:)``.
    package func complete() throws(RequestFault) {
        do throws(RealmJSONSplitter.Malformed) {
            try splitter.complete()
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ error: RealmJSONSplitter.Malformed) -> RequestFault {
        RequestFault(
            .malformed, "malformed-json",
            "This is not Realm Studio's JSON, {\"Class\":[{…},…],…}: at byte \(error.offset) "
                + "\(error.expected) was expected.")
    }

    /// The class and position of the object that a line was made of.
    package func location(ofLine line: Int) -> String {
        guard let run = places.last(where: { $0.line <= line }) else { return "line \(line)" }
        return "\(run.name)[\(run.position + line - run.line)]"
    }

    // MARK: Objects

    private func take(_ name: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) {
        guard let className = (try? nameParser.parse(name))?.string else { return }
        let position = positions[className, default: 0]
        positions[className] = position + 1
        if let onlyClass, onlyClass != className { return }
        fault = nil
        depth = 0
        if let rowClass = catalog.rows.rowClass(named: className) {
            // Embedded objects come with their owners.
            guard StoreHeader.holdsObjects(of: rowClass.definition) else { return }
            do throws(JSONError) {
                let object = try parser.parse(text, depthMax: Self.depthMax)
                takeObject(object, rowClass, position)
            } catch {
                fault = error.message
            }
        } else {
            fault = "the store has no class '\(className)'"
        }
        let location = "\(className)[\(position)]"
        if let fault { faults.append(Fault(location: location, detail: fault)) }
        writeWaiting(location)
    }

    /// Writes the lines of the objects that were met, and of those that are met in them: one after the other,
    /// because they may be nested as deep as there are objects.
    private func writeWaiting(_ location: String) {
        var index = 0
        while index < waiting.count {
            fault = nil
            let next = waiting[index]
            writeLine(next.object, next.rowClass, id: next.id, next.position)
            if let fault { faults.append(Fault(location: location, detail: fault)) }
            index += 1
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func takeObject(_ object: JSONValue, _ rowClass: RowClass, _ position: Int) {
        if let reference = object.member(named: "$refId") {
            if object.count > 1 {
                _ = meet(object, reference, rowClass, position)
            } else if references[Self.text(reference)] == nil {
                fault = "its '$refId' names no object"
            }
        } else {
            writeLine(object, rowClass, id: nil, position)
        }
    }

    /// Notes that an object with a reference is to get a line, unless it has been met before, and returns its
    /// key.
    private func meet(
        _ object: JSONValue, _ reference: JSONValue, _ rowClass: RowClass, _ position: Int?
    ) -> [UInt8]? {
        let name = Self.text(reference)
        if let known = references[name] { return known }
        let key: [UInt8]
        if let member = rowClass.primaryKeyIndex {
            guard let own = keyText(object, rowClass, member) else { return nil }
            key = own
        } else {
            lastID += 1
            key = Array(String(lastID).utf8)
        }
        references[name] = key
        waiting.append(
            Waiting(
                object: object, rowClass: rowClass,
                id: rowClass.primaryKeyIndex == nil ? key : nil, position: position))
        return key
    }

    private func writeLine(
        _ object: JSONValue, _ rowClass: RowClass, id: [UInt8]?, _ position: Int?
    ) {
        let line = ByteBuffer(capacity: 1024)
        let writer = JSONWriter(line)
        writer.raw("{\"class\":")
        writer.string(rowClass.definition.name)
        if let id {
            writer.raw(",\"id\":")
            line.append(id)
        }
        writer.raw(",\"object\":")
        write(object, rowClass, writer)
        writer.raw("}\n")
        guard fault == nil else { return }
        lineCount += 1
        let name = rowClass.definition.name + (position == nil ? " (nested)" : "")
        let expected = places.last.map { $0.position + lineCount - $0.line }
        if places.last?.name != name || expected != position ?? 0 {
            places.append((lineCount, name, position ?? 0))
        }
        output(line.bytes)
    }

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

    private func write(_ object: JSONValue, _ rowClass: RowClass, _ writer: JSONWriter) {
        deeper(writer) { writeMembers(object, rowClass, writer) }
    }

    private func writeMembers(
        _ object: JSONValue, _ rowClass: RowClass, _ writer: JSONWriter
    ) {
        writer.object { members in
            for member in object.members where !member.isNamed("$refId") {
                let name = String(decoding: member.name, as: UTF8.self)
                let position = rowClass.memberIndex[name]
                // What links here follows from what links.
                if let position, rowClass.members[position].storage.shape == .none { continue }
                _ = members.member(named: name)
                if let position {
                    write(member.value, rowClass.members[position], name, writer)
                } else {
                    // The import says that there is no such property.
                    write(member.value, writer)
                }
            }
        }
    }

    private func write(
        _ value: JSONValue, _ member: RowClass.Member, _ name: String, _ writer: JSONWriter
    ) {
        switch member.storage.shape {
        case .list, .set:
            guard value.kind == .array else { break }
            return writer.array { array in
                for element in value.elements {
                    writeElement(element, member, name, array.element())
                }
            }
        case .map:
            guard value.kind == .object else { break }
            return writer.object { entries in
                for entry in value.members {
                    writeElement(
                        entry.value, member, name,
                        entries.member(named: String(decoding: entry.name, as: UTF8.self)))
                }
            }
        case .single, .none: break
        }
        writeElement(value, member, name, writer)
    }

    private func writeElement(
        _ value: JSONValue, _ member: RowClass.Member, _ name: String, _ writer: JSONWriter
    ) {
        guard value.kind == .object else { return write(value, writer) }
        switch member.storage.element {
        case .embedded: write(value, catalog.rows.classes[member.classIndex], writer)
        case .link: writeLink(value, catalog.rows.classes[member.classIndex], name, writer)
        default:
            // The forms that BSON's types have in JSON.
            for form in ["$numberDecimal", "$oid", "$uuid", "$date"] {
                if value.count == 1, let inner = value.member(named: form) {
                    return write(inner, writer)
                }
            }
            write(value, writer)
        }
    }

    private func writeLink(
        _ value: JSONValue, _ target: RowClass, _ name: String, _ writer: JSONWriter
    ) {
        if let reference = value.member(named: "$refId") {
            let key =
                value.count > 1
                ? meet(value, reference, target, nil) : references[Self.text(reference)]
            if let key { return writer.raw(key) }
            fault = fault ?? "the '$refId' in '\(name)' names no object"
        } else if let member = target.primaryKeyIndex {
            if let key = keyText(value, target, member) { return writer.raw(key) }
        } else {
            fault =
                fault
                ?? "'\(name)' holds a copy of an object of class '\(target.definition.name)', and which "
                + "one can't be told without a primary key"
        }
        writer.null()
    }

    /// The primary key of an object as JSON; nil, with a fault, when it has none.
    private func keyText(_ object: JSONValue, _ rowClass: RowClass, _ member: Int) -> [UInt8]? {
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

    private static func text(_ reference: JSONValue) -> String {
        reference.string ?? reference.numberText.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func write(_ value: JSONValue, _ writer: JSONWriter) {
        deeper(writer) { writePlain(value, writer) }
    }

    private func writePlain(_ value: JSONValue, _ writer: JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .bool: writer.bool(value.bool == true)
        case .integer, .double:
            if let text = value.numberText { writer.raw(text) }
        case .string:
            if let text = value.stringBytes { writer.string(text) }
        case .array:
            writer.array { array in
                for element in value.elements { write(element, array.element()) }
            }
        case .object:
            writer.object { object in
                for member in value.members {
                    _ = object.member(named: String(decoding: member.name, as: UTF8.self))
                    write(member.value, writer)
                }
            }
        }
    }
}

extension JSONWriter {
    /// Appends bytes that are JSON.
    fileprivate func raw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { raw($0) } }
}
