import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastStoreService
import HoldfastTestSupport

/// A store of people with lists and tasks, and what is known of a user without an object.
final class AccessWorld {
    /// A user who is known by id and claims alone.
    struct User: UserFacts {
        var id: String?
        var claims: [String: UserValue] = [:]

        func value(of reference: UserReference) -> UserValue? {
            switch reference {
            case .id: id.map { .one(.string($0)) }
            case .claim(let names): claims[names.joined(separator: ".")]
            case .object: nil
            }
        }
    }

    static let schema = """
        {"classes":[
          {"name":"Person","primaryKey":"id","properties":{"id":"string","name":"string?","verified":"bool","age":"int?"}},
          {"name":"List","primaryKey":"id","properties":{"id":"int","owner":"Person",
            "members":"Person[]","title":{"type":"string","required":true},"secret":"string?"}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","list":"List","done":"bool",
            "place":"Place"}},
          {"name":"Place","kind":"embedded","properties":{"city":"string"}}
        ]}
        """

    let store: Store

    init() throws {
        store = try Store(engine: try EngineCase.memory.open())
        _ = try SchemaText.put(Array(Self.schema.utf8), store)
    }

    deinit { store.close() }

    /// The rules of a document.
    func rules(_ text: String) throws(RequestFault) -> AccessRules {
        try AccessRules(try AccessReader.read(text: text), schema: store.catalog.rows)
    }

    /// The control of the store's document, with one set.
    func control(_ text: String) throws(RequestFault) -> AccessControl {
        let control = AccessControl(store) { RequestFault($0) }
        _ = try control.put(
            AccessReader.Stated(try AccessReader.read(text: text)), where: { _ in true })
        return control
    }

    /// Changes the schema.
    func change(_ schema: String, allowsDataLoss: Bool = true) throws(RequestFault) {
        _ = try SchemaText.put(Array(schema.utf8), store, allowsDataLoss: allowsDataLoss)
    }

    /// The position of a class.
    func index(_ name: String) -> Int { store.catalog.rows.classIndex[name] ?? -1 }
}
