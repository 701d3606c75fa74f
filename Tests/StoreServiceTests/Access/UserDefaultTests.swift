import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import Testing

/// The id of an account.
private let account = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

@Suite("The default $user")
struct UserDefaultTests {
    /// The schema, with further properties of the class `Key`.
    private static func schema(_ more: String = "") -> String {
        """
        {"classes":[
          {"name":"Note","primaryKey":"id","properties":{"id":"int","text":"string?",
            "owner":{"type":"string","default":"$user","required":true},
            "part":"Part","parts":"Part[]"}},
          {"name":"Part","kind":"embedded","properties":{"text":"string?",
            "by":{"type":"string?","default":"$user"}}},
          {"name":"Key","primaryKey":"id","properties":{"id":"int",
            "uuid":{"type":"uuid?","default":"$user"},"objectId":{"type":"objectId?","default":"$user"},
            "small":{"type":"int8","default":"$user"},"int":{"type":"int?","default":"$user"},
            "text":{"type":"string","default":"$user"}\(more)}}]}
        """
    }
    private static let rules = """
        {"roles":{"member":{"when":"$user.id != 'wil'","classes":{
          "Note":{"read":true,"create":"owner == $user.id","update":true},
          "Key":{"read":true,"create":true}}},
         "writer":{"when":"$user.id == 'wil'","classes":{
          "Note":{"read":true,"create":true,"properties":{"owner":"read"}}}}}}
        """

    private func world(_ setUp: (TestService) throws -> Void = { _ in }) throws -> RuledWorld {
        try RuledWorld(Self.rules) { service in
            _ = try SchemaText.put(Array(Self.schema().utf8), service.store, allowsDataLoss: true)
            try setUp(service)
        }
    }

    private func note(_ world: RuledWorld, _ id: Int) throws -> String? {
        try world.service.object(ObjectAddress("Note", "\(id)"), fields: "owner,part")
    }

    @Test("is the id of the user who creates an object, also in embedded ones")
    func creation() throws {
        let world = try world()
        let made = try world.as("ann") {
            try $0.create("Note", #"{"id":1,"part":{"text":"a"}}"#)
            try $0.write("Note", #"{"id":2}"#, .merge)
            return try $0.put(ObjectAddress("Note", "3"), "{}")
        }
        #expect(made.hasPrefix("ok"), "\(made)")
        #expect(
            try note(world, 1) == #"{"owner":"ann","part":{"text":"a","by":"ann"}}"#)
        #expect(try note(world, 2) == #"{"owner":"ann","part":null}"#)
        #expect(try note(world, 3) == #"{"owner":"ann","part":null}"#)
    }

    @Test("leaves a stated value to the rules")
    func statedValues() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.create("Note", #"{"id":1,"owner":"ann"}"#) }
                .hasPrefix("ok"))
        #expect(
            try world.as("ann") { try $0.create("Note", #"{"id":2,"owner":"bob"}"#) }
                .hasPrefix("not-allowed"))
        // A right to read is enough where the service fills in the user.
        #expect(try world.as("wil") { try $0.create("Note", #"{"id":3}"#) }.hasPrefix("ok"))
        #expect(try note(world, 3) == #"{"owner":"wil","part":null}"#)
    }

    @Test("keeps the value when another user replaces or changes the object")
    func replacement() throws {
        let world = try world { try $0.create("Note", #"{"id":1,"owner":"ann","text":"a"}"#) }
        let changed = try world.as("bob") {
            try $0.put(ObjectAddress("Note", "1"), #"{"text":"b"}"#)
            return try $0.merge(ObjectAddress("Note", "1"), #"{"text":"c"}"#)
        }
        #expect(changed.hasPrefix("ok"), "\(changed)")
        #expect(try note(world, 1) == #"{"owner":"ann","part":null}"#)
    }

    @Test(
        "is none without a user: a required property is then missed, and the fault says what to do")
    func noUser() throws {
        let world = try world()
        do {
            try world.service.create("Note", #"{"id":1}"#)
            Issue.record("The object was created.")
        } catch let fault as RequestFault {
            #expect(fault.code == "missing-property")
            #expect(fault.detail.contains("write as a user"), "\(fault.detail)")
            #expect(fault.errors.map(\.pointer) == ["/owner"])
        }
        try world.service.create("Key", #"{"id":1}"#)
        #expect(
            try world.service.object(ObjectAddress("Key", "1"))
                == #"{"id":1,"uuid":null,"objectId":null,"small":0,"int":null,"text":""}"#)
    }

    @Test("does not pass from one user's write to the next one without a user")
    func nextWrite() throws {
        let world = try world()
        _ = try world.as("ann") { try $0.create("Key", #"{"id":1}"#) }
        try world.service.create("Key", #"{"id":2}"#)
        #expect(
            try world.service.object(ObjectAddress("Key", "2"), fields: "text") == #"{"text":""}"#)
    }

    @Test(
        "is a value of the property's type whose one text is the id, or none",
        arguments: [
            (
                account,
                #"{"uuid":"\#(account)","objectId":null,"small":0,"int":null,"text":"\#(account)"}"#
            ),
            (
                account.uppercased(),
                #"{"uuid":null,"objectId":null,"small":0,"int":null,"text":"\#(account.uppercased())"}"#
            ),
            ("7", #"{"uuid":null,"objectId":null,"small":7,"int":7,"text":"7"}"#),
            ("07", #"{"uuid":null,"objectId":null,"small":0,"int":null,"text":"07"}"#),
            ("700", #"{"uuid":null,"objectId":null,"small":0,"int":700,"text":"700"}"#),
        ])
    func types(user: String, object: String) throws {
        let world = try world()
        _ = try world.as(user) { try $0.create("Key", #"{"id":1}"#) }
        #expect(
            try world.service.object(
                ObjectAddress("Key", "1"), fields: "uuid,objectId,small,int,text") == object)
    }

    @Test("gives objects that were there before the property no user")
    func addedProperty() throws {
        let world = try world { try $0.create("Key", #"{"id":1}"#) }
        let text = Self.schema(#","late":{"type":"string?","default":"$user"}"#)
        _ = try SchemaText.put(Array(text.utf8), world.service.store)
        #expect(
            try world.service.object(ObjectAddress("Key", "1"), fields: "late") == #"{"late":null}"#
        )
    }
}
