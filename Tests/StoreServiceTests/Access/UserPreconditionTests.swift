import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing

/// Preconditions of writes by users that see only a part of an object.
@Suite("A user's precondition on an object")
struct UserPreconditionTests {
    /// The owner can read a list except for its secret. The secret `x` hides the whole list.
    private static let document = """
        {"users":"Person","roles":{
          "member":{"classes":{"List":{"read":"(owner == $user.id OR open == true) AND secret != 'x'","update":true,
            "delete":true,"properties":{"secret":"none"}}}},
          "chief":{"when":"$user.object.role == 'chief'","classes":{"Task":{"read":true}}}}}
        """
    private static let list = ObjectAddress("List", "1")

    private let world: RuledWorld

    init() throws { try self.init(options: StoreOptions()) }

    private init(options: StoreOptions) throws {
        world = try RuledWorld(Self.document, options: options) { service in
            try RuledWorld.fill(service)
            try service.write("Person", #"{"id":"ann","role":"chief"}"#, .create)
        }
        // The list's version is the store's.
        try change(#"{"tags":["x"]}"#)
    }

    private var version: StoreVersion { world.service.store.version }

    /// The outcomes of writes by ann that change nothing, on condition that the list is as at a version: "ok", or codes of faults.
    private func outcomes(at version: StoreVersion) throws -> Set<String> {
        func write(
            _ subject: ObjectWrite.Subject, _ json: String, _ mode: WriteMode,
            _ precondition: Precondition
        ) throws -> String {
            try world.as("ann") { service in
                try service.served.make(
                    ObjectWrite(
                        subject, RequestBytes(json), mode, precondition, for: service.caller,
                        in: service.served))
            }
        }
        let present = try world.list(1, "rank").contains(#""rank":9"#) ? 9 : 7
        let same = #"{"rank":\#(present)}"#
        let texts = [
            try write(.named(Self.list, isMerge: true), same, .update, .matches([version])),
            try write(
                .named(Self.list, isMerge: true), #"{"$version":"\#(version)","rank":\#(present)}"#,
                .update, .none),
            try world.as("ann") {
                try $0.transaction([
                    #"{"op":"patch","class":"List","id":1,"ifMatch":"\#(version)","value":\#(same)}"#
                ])
            },
        ]
        return Set(texts.map { $0.hasPrefix("ok") ? "ok" : String($0.prefix { $0 != ":" }) })
    }

    private func change(_ json: String, of key: Int = 1) throws {
        try world.service.merge(ObjectAddress("List", "\(key)"), json)
    }

    @Test("holds after a change of a property that the user does not see")
    func hiddenProperty() throws {
        let before = version
        #expect(try outcomes(at: before) == ["ok"])
        try change(#"{"secret":"other"}"#)
        #expect(try outcomes(at: before) == ["ok"])
        #expect(try outcomes(at: version) == ["ok"])
        // The administrator sees it.
        #expect(throws: RequestFault.self) {
            try world.service.served.make(
                ObjectWrite(
                    .named(Self.list, isMerge: true), RequestBytes(#"{"rank":7}"#), .update,
                    .matches([before]), for: .program, in: world.service.served))
        }
        // A property that the user sees changes after the version.
        let later = version
        try change(#"{"rank":9}"#)
        #expect(try outcomes(at: before) == ["precondition-failed"])
        #expect(try outcomes(at: later) == ["precondition-failed"])
        #expect(try outcomes(at: version) == ["ok"])
        let future = StoreVersion(epoch: version.epoch, number: version.number + 1)
        #expect(try outcomes(at: future) == ["precondition-failed"])
        let other = StoreVersion(epoch: version.epoch + 1, number: version.number)
        #expect(try outcomes(at: other) == ["precondition-failed"])
    }

    @Test("holds of a deletion, too")
    func deletion() throws {
        let before = version
        try change(#"{"secret":"other"}"#)
        let text = try world.as("ann") { service in
            try service.served.make(
                ObjectWrite(
                    .deleted(Self.list), RequestBytes(""), .update, .matches([before]),
                    for: service.caller, in: service.served))
        }
        #expect(text.hasPrefix("ok"))
        #expect(try world.object("List", "1") == "object-not-found")
    }

    @Test("holds after a change of links to objects that the user does not see")
    func hiddenLinks() throws {
        try change(#"{"others":[3]}"#)
        let before = version
        try change(#"{"others":[3,2]}"#)
        #expect(try outcomes(at: before) == ["ok"])
        try change(#"{"others":[2]}"#)
        #expect(try outcomes(at: before) == ["precondition-failed"])
    }

    @Test("fails where the object was hidden meanwhile")
    func hiddenMeanwhile() throws {
        let before = version
        try change(#"{"secret":"x"}"#)
        #expect(try !outcomes(at: before).contains("ok"))
        try change(#"{"secret":"s1"}"#)
        #expect(try outcomes(at: before) == ["precondition-failed"])
    }

    @Test("fails where other roles may have held meanwhile")
    func otherRoles() throws {
        let before = version
        try change(#"{"secret":"other"}"#)
        let person = ObjectAddress("Person", "ann")
        try world.service.merge(person, #"{"name":"Ann"}"#)
        #expect(try outcomes(at: before) == ["ok"])
        for role in ["none", "chief"] {
            try world.service.merge(person, #"{"role":"\#(role)"}"#)
        }
        #expect(try outcomes(at: before) == ["precondition-failed"])
    }

    @Test("fails where the transaction itself has changed the object")
    func ownChange() throws {
        let before = version
        try change(#"{"secret":"other"}"#)
        let text = try world.as("ann") {
            try $0.transaction([
                #"{"op":"patch","class":"List","id":1,"value":{"rank":8}}"#,
                #"{"op":"patch","class":"List","id":1,"ifMatch":"\#(before)","value":{"rank":9}}"#,
            ])
        }
        #expect(text.hasPrefix("precondition-failed"))
    }

    @Test("fails where the change log does not reach back so far")
    func expired() throws {
        var options = StoreOptions()
        options.retentionSeconds = -5
        let tests = try UserPreconditionTests(options: options)
        let before = tests.version
        for number in 0..<3 { try tests.change(#"{"secret":"other \#(number)"}"#) }
        #expect(try tests.outcomes(at: before) == ["precondition-failed"])
    }
}
