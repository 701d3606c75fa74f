import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastTransfer

/// The options of an import that a service proposed.
struct ProposedImport {
    /// The media type of the text.
    var mediaType: String
    /// The query of the target with its question mark, or an empty text.
    var query: String
}

// Imports into a class that is made for the file.
extension ImportCommand {
    /// Makes the class in a store, and returns the options that read the file.
    func makeClass(
        _ proposal: ClassProposal, in store: Store
    ) throws(CommandFailure) -> ImportOptions {
        var schema = store.catalog.schema
        let name = proposal.objectClass.name
        guard schema.objectClass(named: name) == nil else { throw Self.isPresent(name) }
        schema.classes += proposal.embedded + [proposal.objectClass]
        _ = try CommandFailure.telling(
            SchemaText.put(Array(SchemaText.text(of: schema).utf8), store))
        tell(
            proposal.reasons.filter { $0.className == name }.map { ($0.property, $0.text) },
            proposal.notes)
        return proposal.reading.applied(to: options)
    }

    /// Makes the class in the store of a service, and returns the options that read the file.
    func makeClass(
        _ guess: GuessCommand, in client: ServiceClient
    ) throws(CommandFailure) -> ProposedImport {
        let reply = try guess.reply(of: client)
        let classes = try ServiceClient.find("which class fits", in: reply) {
            root -> [(name: String, json: [UInt8])]? in
            guard let own = root.member(named: "class") else { return nil }
            return (Self.elements(root.member(named: "embedded")) + [own]).map(Self.text)
        }
        for (name, json) in classes { try make(name, json, client) }
        let reasons = try ServiceClient.find("its reasons", in: reply) {
            root -> [(property: String?, text: String)]? in
            let own = Self.elements(root.member(named: "reasons")).filter {
                $0.member(named: "class")?.string == className
            }
            return own.map {
                ($0.member(named: "property")?.string, $0.member(named: "reason")?.string ?? "")
            }
        }
        let notes = try ServiceClient.find("its notes", in: reply) { root -> [String]? in
            Self.elements(root.member(named: "notes")).compactMap(\.string)
        }
        tell(reasons, notes)
        return try ServiceClient.find("how the file is read", in: reply) { root in
            guard let options = root.member(named: "import"),
                let mediaType = options.member(named: "contentType")?.string,
                let query = options.member(named: "query")?.string
            else { return nil }
            return ProposedImport(mediaType: mediaType, query: query)
        }
    }

    private static func elements(_ list: JSONValue?) -> [JSONValue] {
        list.map { Array($0.elements) } ?? []
    }

    /// The name of a class, and its definition as JSON.
    private static func text(_ definition: JSONValue) -> (name: String, json: [UInt8]) {
        (definition.member(named: "name")?.string ?? "", JSONWriter.text(of: definition))
    }

    private func make(
        _ name: String, _ json: [UInt8], _ client: ServiceClient
    ) throws(CommandFailure) {
        var rest = json[...]
        let (status, refusal) = try client.send(
            "PUT", "/v1/schema/classes/\(ObjectPath.segment(name))",
            headers: ["Content-Type: application/json", "If-None-Match: *"],
            body: { target in
                let count = min(rest.count, target.count)
                target.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return count
            })
        if status == 412 { throw Self.isPresent(name) }
        if status >= 300 || status == 0 { throw ServiceClient.refused(status, refusal) }
    }

    private static func isPresent(_ name: String) -> CommandFailure {
        CommandFailure(
            "the store has a class '\(name)': import into it without --guess, or name another one by --class"
        )
    }

    /// Prints the reasons for the properties.
    private func tell(_ reasons: [(property: String?, text: String)], _ notes: [String]) {
        Terminal.write("\(subject): a new class\n")
        for (property, text) in reasons {
            Terminal.write("  \(property.map { $0 + ": " } ?? "")\(text)\n")
        }
        for note in notes { Terminal.complain(note) }
    }
}
