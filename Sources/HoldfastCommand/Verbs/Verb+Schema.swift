import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService

extension Verb {
    static let schemaGet = Verb(
        name: "schema get", summary: "Prints the schema as JSON.",
        options: [OpenStore.data] + ServiceClient.options + [OpenStore.mapSize]
    ) { arguments throws(CommandFailure) in
        if let client = try ServiceClient(arguments) {
            let text = try client.text("GET", "/v1/schema", headers: ["Accept: application/json"])
            Terminal.write(text + [UInt8(ascii: "\n")], to: 1)
            return .success
        }
        let store = try OpenStore.open(
            arguments, for: .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        Terminal.write(SchemaText.text(of: store.catalog.schema) + "\n")
        return .success
    }

    static let schemaTypeScript = Verb(
        name: "schema typescript", summary: "Prints types of the classes for TypeScript.",
        options: [OpenStore.data] + ServiceClient.options + [
            Option(
                flag: "plain-ints",
                "int and int64 are 'number' alone: for data without ints beyond 2^53"),
            OpenStore.mapSize,
        ],
        notes: """
            The types are for the client in clients/javascript, which a service has at
            /client/holdfast.js: new Holdfast<Classes>(url). Save them as a module:
              holdfast schema typescript --url http://127.0.0.1:8080 > store.ts
            """
    ) { arguments throws(CommandFailure) in
        let statesNumbers = arguments.has("plain-ints")
        if let client = try ServiceClient(arguments) {
            let reply = try client.text("GET", "/v1/schema", headers: ["Accept: application/json"])
            do throws(RequestFault) {
                Terminal.write(try SchemaText.typeScript(of: reply, statesNumbers: statesNumbers))
            } catch {
                throw CommandFailure(
                    "the service's schema is not one that this program knows; use the 'holdfast' of "
                        + "the service's version: \(error.detail)")
            }
            return .success
        }
        let store = try OpenStore.open(
            arguments, for: .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        Terminal.write(
            SchemaText.typeScript(of: store.catalog.schema, statesNumbers: statesNumbers))
        return .success
    }

    static let schemaPut = Verb(
        name: "schema put", summary: "Changes the schema to the one in a file.",
        operands: "FILE|-", operandCount: 1...1,
        options: [OpenStore.data] + ServiceClient.options + [
            Option("from", "holdfast|realm-js", "the format of the file", fallback: "holdfast"),
            Option(flag: "dry-run", "only report the changes, without making them"),
            Option(flag: "allow-data-loss", "lose values that do not fit the new schema"),
            OpenStore.durability, OpenStore.mapSize, OpenStore.newEpoch,
        ],
        notes: """
            The file has the format of 'schema get', or is a JSON array of Realm JS's object schemas
            (--from realm-js). A directory without a store gets one. Existing data is migrated; a
            change that would lose data is refused.
            """
    ) { arguments throws(CommandFailure) in
        try SchemaCommand(arguments).run()
    }
}

/// Changes the schema of a store that no service has open, or of a running service.
struct SchemaCommand {
    private enum Form: String, CaseIterable {
        case holdfast
        case realmJS = "realm-js"
    }

    private let arguments: Arguments
    private let form: Form

    /// Reads the options.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        form = try arguments.choice("from", Form.holdfast)
    }

    /// Changes the schema; returns when that is durable.
    func run() throws(CommandFailure) -> ExitCode {
        let path = arguments.operands.first ?? "-"
        var bytes = try FileSystem.read(path, byteCountMax: 32 << 20)
        if form == .realmJS { bytes = try Self.failing(RealmJSSchema.converted(bytes)) }
        if let client = try ServiceClient(arguments) { return try put(bytes, client) }
        let store = try OpenStore.open(
            arguments, for: .making, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        if arguments.has("dry-run") {
            Terminal.write(try Self.failing(SchemaText.dryRun(bytes, store)) + "\n")
        } else {
            let revision = try Self.failing(
                SchemaText.put(bytes, store, allowsDataLoss: arguments.has("allow-data-loss")))
            for warning in SchemaWriter.warnings(of: store.catalog.schema) {
                Self.warn(of: warning.className, warning.property, warning.detail)
            }
            Terminal.write("schema: revision \(revision)\n")
        }
        return .success
    }

    private static func warn(of className: String, _ property: String, _ detail: String) {
        Terminal.complain("warning: \(className).\(property): \(detail)")
    }

    private func put(_ bytes: [UInt8], _ client: ServiceClient) throws(CommandFailure) -> ExitCode {
        var query = TargetQuery()
        if arguments.has("dry-run") { query.add("dryRun", "true") }
        if arguments.has("allow-data-loss") { query.add("allowDataLoss", "true") }
        let reply = try client.text("PUT", "/v1/schema" + query.text, json: bytes)
        if arguments.has("dry-run") {
            Terminal.write(reply + [UInt8(ascii: "\n")], to: 1)
            return .success
        }
        let revision = ServiceClient.read(reply) { root -> Int64? in
            for warning in root.member(named: "warnings").map({ Array($0.elements) }) ?? [] {
                Self.warn(
                    of: warning.member(named: "class")?.string ?? "",
                    warning.member(named: "property")?.string ?? "",
                    warning.member(named: "detail")?.string ?? "")
            }
            return root.member(named: "revision")?.exactInt64
        }
        Terminal.write("schema: revision \(revision.map(String.init) ?? "unknown")\n")
        return .success
    }

    private static func failing<Result>(
        _ body: @autoclosure () throws(RequestFault) -> Result
    ) throws(CommandFailure) -> Result {
        do {
            return try body()
        } catch {
            for fault in error.errors {
                Terminal.complain(
                    "\(fault.pointer.map { "at \($0.isEmpty ? "the top" : $0): " } ?? "")\(fault.detail)"
                        + (fault.hint.map { " Did you mean '\($0)'?" } ?? ""))
            }
            throw CommandFailure("the schema was refused: \(error.detail)")
        }
    }
}
