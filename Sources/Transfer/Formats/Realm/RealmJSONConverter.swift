import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Turns the JSON that Realm Studio exports into the lines of a whole store's import: `{"Class":[{…},…],…}` of
/// versions before 13, and the array of values (``FlattedText``) that later ones write.
///
/// In the first form a link stands there as the object that it leads to. One with a primary key becomes that key, because
/// the object is listed under its own class too. Where an export has circles, each object has a `$refId`,
/// is written in full where it is met first, and stands for itself by `{"$refId":…}` from then on: such
/// objects get a line of their own wherever they are met. One thread at a time.
package final class RealmJSONConverter {
    /// An object that can't be imported.
    package struct Fault: Sendable {
        /// Its class and its position in the class's array, from 0.
        package var location: String
        /// The fault.
        package var detail: String
    }

    /// How deep objects nest in the text, where each is written in full where it is met first: a list of
    /// linked objects is as deep as it is long.
    private static let depthMax = 10_000
    /// How deep the values of one object nest, which are written recursively.
    static let valueDepthMax = ServiceLimits().jsonDepthMax

    /// An object that has a reference and is to get a line.
    private struct Waiting {
        var object: JSONValue
        var rowClass: RowClass
        var id: [UInt8]?
        /// Its position in its class's array; nil for one that was met in another object.
        var position: Int?
    }

    /// The form of the text.
    private enum Form {
        case unknown
        case tree(RealmJSONSplitter)
        case flat(FlattedText)
    }

    let catalog: Catalog
    private let options: ImportOptions
    private let onlyClass: String?
    private let output: (UnsafeRawBufferPointer) -> Void
    private var form = Form.unknown
    private var mark = ByteOrderMark()
    private let parser = JSONParser()
    private let nameParser = JSONParser()
    private let buffer = ByteBuffer(capacity: 4096)
    /// The keys, as JSON, of the objects that have been met, by `$refId`.
    var references: [ExactText: [UInt8]] = [:]
    private var lastID: UInt64 = 0
    private var positions: [ExactText: Int] = [:]
    /// The objects with references that were met in the present one.
    private var waiting: [Waiting] = []
    /// How deep the value that is being written lies in its object.
    var depth = 0
    var fault: String?
    /// Where each line came from, by the first line of a run of one class.
    private var lineCount = 1
    private var places: [(line: Int, name: String, position: Int)] = []
    /// The objects that got no line.
    package private(set) var faults: [Fault] = []

    /// Makes a converter; the header goes to the output at once.
    ///
    /// - Parameters:
    ///   - catalog: The catalog of the store that will take the lines.
    ///   - options: The memory for values that are stored until the text is complete, and the directory for more.
    ///   - onlyClass: The only class of taken objects; nil for all classes.
    ///   - output: Gets whole lines, valid during the call.
    package init(
        _ catalog: Catalog, _ options: ImportOptions = ImportOptions(), onlyClass: String?,
        _ output: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        self.catalog = catalog
        self.options = options
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
        var mark = mark
        try mark.strip(bytes) { bytes throws(RequestFault) in try take(bytes) }
        self.mark = mark
    }

    /// Ends the text.
    ///
    /// - Throws: As ``append(_:)``, and when the objects of a text could not be stored until here.
    package func complete() throws(RequestFault) {
        try mark.complete { bytes throws(RequestFault) in try take(bytes) }
        do throws(RealmJSONSplitter.Malformed) {
            switch form {
            case .unknown: try RealmJSONSplitter().complete()
            case .tree(let splitter): try splitter.complete()
            case .flat(let text): try text.complete()
            }
        } catch { throw Self.fault(error) }
        if case .flat(let text) = form { try takeObjects(text) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
        var bytes = bytes
        if case .unknown = form {
            guard let start = bytes.firstIndex(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) })
            else { return }
            bytes = UnsafeRawBufferPointer(rebasing: bytes[start...])
            form =
                bytes[0] == UInt8(ascii: "[")
                ? .flat(
                    FlattedText(
                        memoryByteCountMax: options.deferredByteCountMax,
                        directory: options.limits.temporaryDirectory)) : .tree(RealmJSONSplitter())
        }
        do throws(RealmJSONSplitter.Malformed) {
            switch form {
            case .tree(var splitter):
                form = .unknown
                try splitter.append(bytes) { name, object in take(name, object) }
                form = .tree(splitter)
            case .flat(let text): try text.append(bytes)
            case .unknown: break
            }
        } catch { throw Self.fault(error) }
    }

    /// Writes the lines of a flattened text.
    private func takeObjects(_ text: FlattedText) throws(RequestFault) {
        let isExport = FlattedObjects(text, catalog.rows).forEach {
            name, position, index, object, fault in
            take(name, position, object, id: Array(String(index).utf8), fault)
        }
        guard !text.hasFailed else {
            throw RequestFault(
                .storageFull, "storage-full",
                "There is no space for the values of the text; free disk space, then repeat the import."
            )
        }
        guard isExport else {
            throw RequestFault(
                .malformed, "malformed-json",
                "This is not Realm Studio's JSON: the first value of the array does not list the objects of "
                    + "classes.")
        }
    }

    private static func fault(_ error: RealmJSONSplitter.Malformed) -> RequestFault {
        RequestFault(
            .malformed, "malformed-json",
            "This is not Realm Studio's JSON, {\"Class\":[{…},…],…} or an array of values: at byte \(error.offset) "
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
        let position = positions[className] ?? 0
        positions[className] = position + 1
        take(className, position, text, id: nil, nil)
    }

    /// Writes the line of an object that a class lists.
    ///
    /// - `id`: The number of the object in a flattened text.
    /// - `found`: Its known fault.
    private func take(
        _ className: String, _ position: Int, _ text: UnsafeRawBufferPointer, id: [UInt8]?,
        _ found: String?
    ) {
        if let onlyClass, onlyClass != className { return }
        fault = found
        depth = 0
        if let rowClass = catalog.rows.rowClass(named: className) {
            // Embedded objects come with their owners.
            guard StoreHeader.holdsObjects(of: rowClass.definition) else { return }
            do throws(JSONError) {
                let object = try parser.parse(text, depthMax: Self.depthMax)
                if let id {
                    writeLine(
                        object, rowClass, id: rowClass.primaryKeyIndex == nil ? id : nil, position)
                } else {
                    takeObject(object, rowClass, position)
                }
            } catch { fault = error.message }
        } else {
            fault = "the store has no class '\(className)'"
        }
        let location = "\(className)[\(position)]"
        if let fault { faults.append(Fault(location: location, detail: fault)) }
        writeWaiting(location)
    }

    /// Writes the lines of the objects that were found, and of the objects found in them: one after the other,
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

    /// Notes that an object with a reference is to get a line, unless it has been met before, and returns its key.
    func meet(
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
}
