import ObjectJSON
import ObjectStore
import RESTAPI
import StoreService

extension Verb {
    /// `holdfast schema get`
    static let schemaGet = Verb(
        name: "schema get", summary: "Prints the schema as JSON.",
        options: [OpenStore.data, OpenStore.mapSize]
    ) { arguments throws(CommandFailure) in
        let address = ServiceAddress(arguments)
        let store = try OpenStore.open(
            arguments, for: .reading,
            instead: "a running service returns it: curl '\(address.url)/v1/schema'")
        defer { store.close() }
        Terminal.write(SchemaText.text(of: store.catalog.schema) + "\n")
        return .success
    }

    /// `holdfast schema put`
    static let schemaPut = Verb(
        name: "schema put", summary: "Changes the schema to the one in a file.",
        operands: "FILE|-", operandCount: 1...1,
        options: [
            OpenStore.data,
            Option(flag: "dry-run", "only report what would be done"),
            Option(flag: "allow-data-loss", "lose values that the new schema cannot hold"),
            OpenStore.durability, OpenStore.mapSize, OpenStore.newEpoch,
        ],
        notes: """
            The file has the form of 'schema get'. A directory without a store gets one. Existing data is
            migrated; what would lose data is refused.
            """
    ) { arguments throws(CommandFailure) in
        let path = arguments.operands.first ?? "-"
        let bytes = try FileSystem.read(path, byteCountMax: 32 << 20)
        let address = ServiceAddress(arguments)
        let store = try OpenStore.open(
            arguments, for: .making,
            instead: "a running service takes it: curl -X PUT -H 'Content-Type: application/json' "
                + "--data-binary @'\(path)' '\(address.url)/v1/schema'")
        defer { store.close() }
        do throws(RequestFault) {
            if arguments.has("dry-run") {
                Terminal.write(try SchemaText.dryRun(bytes, store) + "\n")
            } else {
                let revision = try SchemaText.put(
                    bytes, store, allowsDataLoss: arguments.has("allow-data-loss"))
                Terminal.write("schema: revision \(revision)\n")
            }
        } catch {
            for fault in error.errors {
                Terminal.complain(
                    "\(fault.pointer.map { "at \($0.isEmpty ? "the top" : $0): " } ?? "")\(fault.detail)"
                        + (fault.hint.map { " Did you mean '\($0)'?" } ?? ""))
            }
            throw CommandFailure("the schema was not taken: \(error.detail)")
        }
        return .success
    }
}
