import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads

/// A service with an access document, for users and for its administrator.
final class RuledWorld {
    static let schema = """
        {"classes":[
          {"name":"Person","primaryKey":"id","properties":{"id":"string","name":"string?","role":"string?"}},
          {"name":"List","primaryKey":"id","properties":{"id":"int","owner":"string?","open":"bool","title":"string?",
            "secret":"string?","rank":{"type":"int","default":7},"code":{"type":"string?","unique":true},
            "next":"List","others":"List[]","marks":"List<>","named":"List{}","any":"mixed","items":"Item[]",
            "main":"Item","tags":"string[]"}},
          {"name":"Item","kind":"embedded","properties":{"text":"string?","list":"List"}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","list":{"type":"List","onDelete":"cascade"},
            "done":"bool","text":"string?"}},
          {"name":"Lock","primaryKey":"id","properties":{"id":"int","list":{"type":"List","onDelete":"deny"}}},
          {"name":"Reading","properties":{"value":"int","by":"string?"}}
        ]}
        """

    /// Makes lists and tasks of two users, list 3 an open one.
    static func fill(_ service: TestService) throws {
        try service.write(
            "List",
            array: """
                [{"id":1,"owner":"ann","title":"A","secret":"s1","code":"a"},
                 {"id":2,"owner":"bob","title":"B","secret":"s2","code":"b"},
                 {"id":3,"owner":"bob","open":true,"title":"C","secret":"s3","rank":9,"code":"c"}]
                """)
        try service.write(
            "Task",
            array: #"[{"id":1,"list":1},{"id":2,"list":1,"done":true},{"id":3,"list":2}]"#)
    }

    let service: TestService
    let control: AccessControl
    /// What users did who may not, as the log is told.
    var refused: [RefusedAct] { acts.withLock { $0 } }
    private let acts = Monitor<[RefusedAct]>([])

    /// Makes a service with the objects that an administrator makes by `setUp`.
    init(
        _ document: String, options: StoreOptions = StoreOptions(),
        _ setUp: (TestService) throws -> Void = { _ in }
    ) throws {
        service = try TestService(
            classes: [], options: options,
            reportRefused: { [acts] act in acts.update { $0.append(act) } })
        _ = try SchemaText.put(Array(Self.schema.utf8), service.store)
        control = AccessControl(service.store) { RequestFault($0) }
        try setUp(service)
        _ = try control.put(
            AccessReader.Stated(try AccessReader.read(text: document)), where: { _ in true })
    }

    /// Tells what became of something that a user does: `ok` with the JSON of the reply, or the code of the fault.
    func `as`<Result>(_ user: String, _ body: (TestService) throws -> Result) throws -> String {
        service.caller = Caller(
            token: 2, address: "", visibility: PrincipalVisibility(control, Principal(user: user)))
        defer { service.caller = .program }
        do {
            return "ok \(try body(service))"
        } catch let fault as RequestFault {
            return "\(fault.code): \(fault.detail) \(fault.errors.map { "\($0.pointer ?? "")" })"
        }
    }

    /// An object as the administrator sees it.
    func object(_ className: String, _ key: String) throws -> String {
        do {
            return try service.object(ObjectAddress(className, key)) ?? ""
        } catch let fault as RequestFault {
            return fault.code
        }
    }

    /// Some properties of a list as the administrator sees it.
    func list(_ key: Int, _ fields: String) throws -> String {
        try service.object(ObjectAddress("List", "\(key)"), fields: fields) ?? ""
    }
}
