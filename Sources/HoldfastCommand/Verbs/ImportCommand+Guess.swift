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
        try tell(Array(proposal.text { $0 }.utf8))
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
        try tell(reply)
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

    /// Prints the types of a proposal's properties, with the reason for each.
    private func tell(_ proposal: [UInt8]) throws(CommandFailure) {
        let (lines, notes) = try ServiceClient.find("why the class fits", in: proposal) {
            root -> ([String], [String])? in
            let properties = root.member(named: "class")?.member(named: "properties")
            let own = Self.elements(root.member(named: "reasons")).filter {
                $0.member(named: "class")?.string == className
            }
            let lines = own.map { entry -> String in
                let reason = entry.member(named: "reason")?.string ?? ""
                guard let name = entry.member(named: "property")?.string else { return reason }
                let type = properties?.member(named: name)?.member(named: "type")?.string
                return "\(name), \(type ?? ""): \(reason)"
            }
            return (lines, Self.elements(root.member(named: "notes")).compactMap(\.string))
        }
        Terminal.write("\(subject): a new class\n")
        for line in lines { Terminal.write("  \(line)\n") }
        for note in notes { Terminal.complain(note) }
    }
}
