import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing

@Suite("Sign-up with the user's own object")
struct SignUpTests {
    /// A class of users' objects, whose key has a type.
    private static func schema(_ key: String = "uuid", named name: String = "Member") -> String {
        """
        {"classes":[{"name":"\(name)","primaryKey":"id","properties":{"id":"\(key)","name":"string?",
          "age":"int?","editor":"bool","nick":{"type":"string?","unique":true},"friend":"\(name)?",
          "owner":{"type":"string?","default":"$user"}}}]}
        """
    }
    private static let rules = """
        {"users":"Member","signUp":true,"roles":{"self":{"classes":{"Member":{
          "read":"id == $user.id","create":"id == $user.id AND age != 7",
          "properties":{"editor":"read"}}}}}}
        """

    private func world(
        _ rules: String = SignUpTests.rules, key: String = "uuid"
    ) throws -> RuledWorld {
        try RuledWorld(rules) { service in
            _ = try SchemaText.put(
                Array(Self.schema(key).utf8), service.store, allowsDataLoss: true)
        }
    }

    /// Signs a user up; returns `ok` with the account's id, or the code, the detail and the pointers of the fault.
    private func signUp(
        _ world: RuledWorld, _ object: String, as login: String = "ann",
        amid: () throws -> Void = {}
    ) throws -> String {
        let account = NewAccount(login: login, passwordHash: "$")
        let id = account.account.id.description
        let served = world.service.served
        let user = Caller(
            token: 7, address: "",
            visibility: PrincipalVisibility(world.control, Principal(user: id)))
        do {
            let body = RequestBytes(#"{"login":"","password":"","object":\#(object)}"#)
            _ = try served.make(
                SignUp(account, body, by: world.control, for: user, in: served)
            ) { _ in try amid() }
            return "ok \(id)"
        } catch let fault as RequestFault {
            return "\(fault.code): \(fault.detail) \(fault.errors.map { $0.pointer ?? "" })"
        }
    }

    private func accountCount(_ world: RuledWorld) throws -> Int {
        try StoredAccounts(world.service.store).accounts(countMax: 10).count
    }

    private func objects(_ world: RuledWorld, of name: String = "Member") throws -> Int {
        let page = try world.service.page(.objects(.ofClass(name)), QueryText())
        return page?.json["objects"]?.elements.count ?? 0
    }

    @Test("makes the account and the object, with the account's id as the key and as the owner")
    func both() throws {
        for key in ["uuid", "string"] {
            let world = try world(key: key)
            let told = try signUp(world, #"{"name":"Ann"}"#)
            let id = String(told.dropFirst(3))
            #expect(told.hasPrefix("ok "), "\(told)")
            #expect(try StoredAccounts(world.service.store).account(id).login == "ann")
            #expect(
                try world.service.object(ObjectAddress("Member", id), fields: "id,name,owner")
                    == #"{"id":"\#(id)","name":"Ann","owner":"\#(id)"}"#)
            #expect(try signUp(world, "{}", as: "bob").hasPrefix("ok "))
            #expect(try objects(world) == 2)
        }
    }

    @Test(
        "is refused as a whole by a fault of the object, which the pointer names",
        arguments: [
            (#"{"naem":"Ann"}"#, "unknown-property", #"["/object/naem"]"#),
            (#"{"name":1,"age":"x"}"#, "wrong-type", #"["/object/name", "/object/age"]"#),
            (#"{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#, "key-mismatch", #"["/object/id"]"#),
            ("null", "wrong-type", #"["/object"]"#),
            (#"{"$version":"0k3x9a1b-17"}"#, "version-not-allowed", #"["/object/$version"]"#),
            (#"{"editor":true}"#, "not-allowed", #"["/object"]"#),
            (#"{"age":7}"#, "not-allowed", #"["/object"]"#),
            (#"{"nick":"taken"}"#, "not-unique", #"["/object/nick"]"#),
            (
                #"{"friend":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#, "dangling-link",
                #"["/object/friend"]"#
            ),
        ])
    func refused(object: String, code: String, pointers: String) throws {
        let world = try world()
        #expect(try signUp(world, #"{"nick":"taken"}"#, as: "eve").hasPrefix("ok "))
        let told = try signUp(world, object)
        #expect(told.hasPrefix(code) && told.hasSuffix(pointers), "\(told)")
        #expect(try accountCount(world) == 1)
        #expect(try objects(world) == 1)
        #expect(try signUp(world, "{}").hasPrefix("ok "))
    }

    @Test("makes no object for a login that is taken")
    func taken() throws {
        let world = try world()
        #expect(try signUp(world, "{}").hasPrefix("ok "))
        let told = try signUp(world, "{}", as: "ANN")
        #expect(told.hasPrefix("account-exists") && told.hasSuffix(#"["/login"]"#), "\(told)")
        #expect(try objects(world) == 1)
    }

    @Test("says what is missed where users can't have an object")
    func noObject() throws {
        let none = try signUp(try world(#"{"roles":{}}"#), "{}")
        #expect(none.hasPrefix("invalid-account") && none.contains("'users'"), "\(none)")
        let hidden = try signUp(try world(#"{"users":"Member","roles":{}}"#), "{}")
        #expect(hidden.hasPrefix("not-allowed") && hidden.contains("'create'"), "\(hidden)")
        let number = #"""
            {"users":"Member","roles":{"all":{"classes":{"Member":{"read":true,"create":true}}}}}
            """#
        let other = try signUp(try world(number, key: "int"), "{}")
        #expect(other.hasPrefix("invalid-account") && other.contains("uuid"), "\(other)")
        for told in [none, hidden, other] { #expect(told.hasSuffix(#"["/object"]"#), "\(told)") }
    }

    @Test("follows a change of the schema between the request and the write")
    func renamed() throws {
        let world = try world()
        let told = try signUp(world, #"{"name":"Ann"}"#) {
            let renamed =
                Self.schema(named: "Human").dropLast() + #","renames":{"Member":"Human"}}"#
            _ = try SchemaText.put(Array(renamed.utf8), world.service.store)
        }
        #expect(told.hasPrefix("ok "), "\(told)")
        #expect(try objects(world, of: "Human") == 1)
    }
}
