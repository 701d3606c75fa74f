import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastText

/// A proposal that is put into a store: its classes, their reasons, and the import of the file.
struct ProposedClass {
    /// The classes in the order in which they are put: embedded ones first, then the class of the file.
    private(set) var classes: [ObjectClass]
    /// The options of the import, each word by itself.
    private let importOptions: [String]
    /// The reasons as lines, and the notes.
    private let lines: [String]

    /// Reads a proposal, as `schema guess` prints it.
    init(_ proposal: [UInt8]) throws(CommandFailure) {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        let root = try CommandFailure.telling(parser.value(of: proposal))
        func texts(_ value: JSONValue?) -> [String] {
            value.map { $0.elements.compactMap(\.string) } ?? []
        }
        let definitions =
            (root.member(named: "embedded").map { Array($0.elements) } ?? [])
            + (root.member(named: "class").map { [$0] } ?? [])
        var classes: [ObjectClass] = []
        for definition in definitions {
            classes.append(
                try CommandFailure.telling(
                    SchemaReader.read(definition) { $0.readClass($1, JSONPointer(), named: nil) }))
        }
        guard !classes.isEmpty else {
            throw CommandFailure("the service's proposal has no class; check the URL")
        }
        self.classes = classes
        importOptions = texts(root.member(named: "import")?.member(named: "options"))
        lines =
            (root.member(named: "reasons").map { Array($0.elements) } ?? []).map { reason in
                let name =
                    reason.member(named: "property")?.string
                    ?? reason.member(named: "name")?.string ?? ""
                return "  \(name): \(reason.member(named: "reason")?.string ?? "")"
            } + texts(root.member(named: "notes"))
    }

    /// The class of the file.
    private var own: ObjectClass { classes[classes.count - 1] }

    /// Gives a property of the class of the file an index.
    mutating func index(_ name: String) throws(CommandFailure) {
        let names = own.properties.map(\.name)
        guard let place = names.firstIndex(where: { $0.isSame(as: name) }) else {
            let hint = NearestName.of(name, among: names)
            throw .usage(
                "--index: '\(own.name)' has no property '\(name)'"
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""))
        }
        classes[classes.count - 1].properties[place].isIndexed = true
    }

    // MARK: The store

    /// Puts the classes into a store that no service has open, each of which has to be new.
    func put(in store: Store) throws(CommandFailure) {
        for definition in classes {
            guard store.catalog.schema.objectClass(named: definition.name) == nil else {
                throw Self.exists(definition)
            }
        }
        for definition in classes {
            let change = CatalogChange(
                .objectClass(definition.name, definition, SchemaRenames()))
            _ = try CommandFailure.telling(change.make(in: store))
        }
    }

    /// Puts the classes into the store of a running service, each of which has to be new.
    func put(in service: ServiceClient) throws(CommandFailure) {
        for definition in classes {
            var rest = Array(SchemaText.text(of: definition).utf8)[...]
            let (status, refusal) = try service.send(
                "PUT", "/v1/schema/classes/\(ObjectPath.segment(definition.name))",
                headers: ["Content-Type: application/json", "If-None-Match: *"],
                body: { target in
                    let count = min(rest.count, target.count)
                    target.copyBytes(from: rest.prefix(count))
                    rest = rest.dropFirst(count)
                    return count
                })
            if status == 412 { throw Self.exists(definition) }
            if status >= 300 || status == 0 { throw ServiceClient.refused(status, refusal) }
        }
    }

    private static func exists(_ definition: ObjectClass) -> CommandFailure {
        CommandFailure(
            "there is a class '\(definition.name)' already; name another with --class, or import "
                + "the file into it: 'holdfast schema guess' without --put prints the options")
    }

    // MARK: The report

    /// The text for the reader: the class, the reasons, and the command that imports the file.
    ///
    /// - `place`: The options that name the store.
    func report(file path: String, in place: [String]) -> String {
        let words =
            ["holdfast", "import"] + place + ["--class", own.name] + importOptions + [path]
        let indexed = own.properties.filter(\.isIndexed).map(\.name)
        let key = own.primaryKey.map { ", primary key \($0)" } ?? ""
        let indexes = indexed.isEmpty ? "" : ", indexed: \(indexed.joined(separator: ", "))"
        return "class \(own.name) with \(own.properties.count) properties\(key)\(indexes)\n"
            + lines.map { $0 + "\n" }.joined()
            + "Import the file:\n" + words.map(Self.shellWord).joined(separator: " ") + "\n"
    }

    /// A word as a shell takes it, in quotes if it needs them.
    private static func shellWord(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:=,+@".utf8.contains(byte)
            }
        }
        if isPlain, !word.isEmpty { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: #"'\''"#) + "'"
    }
}
