import HoldfastServiceSupport
import HoldfastStoreService
import Testing

@Suite("Writes of users who see a part of an object")
struct UserDifferenceTests {
    private static let rules = """
        {"roles":{"all":{"classes":{"List":{"read":"owner == $user.id","create":true,"update":true,"delete":true}}}}}
        """

    /// Of ann's list 1, lists 11 to 15 are seen, and 21 to 25 are not.
    private static func fill(_ service: TestService) throws {
        let others =
            (11...15).map { #"{"id":\#($0),"owner":"ann"}"# }
            + (21...25).map { #"{"id":\#($0),"owner":"bob"}"# }
        try service.write("List", array: "[\(others.joined(separator: ","))]")
        try service.create(
            "List",
            """
            {"id":1,"owner":"ann","next":21,"others":[21,11,22,12,23,13],"marks":[11,21],"named":{"a":21,"b":11},
             "items":[{"text":"x","list":21},{"text":"y","list":11},{"text":"z","list":22}],
             "main":{"text":"m","list":21},
             "any":[{"$link":{"class":"List","id":21}},1,{"k":[{"$link":{"class":"List","id":22}},2]}]}
            """)
    }

    private let address = ObjectAddress("List", "1")

    private func world() throws -> RuledWorld { try RuledWorld(Self.rules, Self.fill) }

    /// Has ann write, and tells what the administrator reads then.
    private func after(
        _ fields: String, _ body: (TestService) throws -> ServedStore.Answer
    ) throws -> String {
        let world = try world()
        let outcome = try world.as("ann", body)
        #expect(outcome.hasPrefix("ok"), "\(outcome)")
        return try world.list(1, fields)
    }

    @Test("write back what they see, and nothing has changed")
    func writeBack() throws {
        let world = try world()
        let before = try world.object("List", "1")
        var own = ""
        _ = try world.as("ann") { own = try $0.object(address) ?? "" }
        #expect(own.contains(#""others":[11,12,13]"#) && own.contains(#""next":null"#))
        let put = try world.as("ann") { try $0.put(address, own) }
        #expect(put.hasPrefix("ok"), "\(put)")
        #expect(try world.object("List", "1") == before)
        let merge = try world.as("ann") { try $0.merge(address, own) }
        #expect(merge.hasPrefix("ok"), "\(merge)")
        #expect(try world.object("List", "1") == before)
    }

    @Test(
        "keep hidden elements of a list in their places",
        arguments: [
            ("[11,12,13]", "[21,11,22,12,23,13]"), ("[]", "[21,22,23]"),
            ("[11,13]", "[21,11,22,23,13]"), ("[11,14,12,13]", "[21,11,22,14,12,23,13]"),
            ("[11,14,13]", "[21,11,22,14,23,13]"), ("[11,12,13,14]", "[21,11,22,12,23,13,14]"),
            ("[14,11,12,13]", "[21,14,11,22,12,23,13]"), ("[13]", "[21,22,23,13]"),
        ])
    func lists(stated: String, stored: String) throws {
        let expected = "{\"others\":\(stored)}"
        #expect(
            try after("others") { try $0.merge(address, "{\"others\":\(stated)}") } == expected)
        #expect(
            try after("others") {
                try $0.patch(
                    address, "[{\"op\":\"replace\",\"path\":\"/others\",\"value\":\(stated)}]")
            } == expected)
    }

    @Test("count the elements that they see")
    func elements() throws {
        func patch(_ operation: String) throws -> String {
            try after("others") { try $0.patch(address, "[\(operation)]") }
        }
        #expect(
            try patch(#"{"op":"remove","path":"/others/0"}"#)
                == #"{"others":[21,22,12,23,13]}"#)
        #expect(
            try patch(#"{"op":"test","path":"/others","value":[11,12,13]}"#)
                == #"{"others":[21,11,22,12,23,13]}"#)
        #expect(
            try patch(#"{"op":"replace","path":"/others/2","value":14}"#)
                == #"{"others":[21,11,22,12,23,14]}"#)
        #expect(
            try after("others") {
                try $0.element(.put, address, "others", .path(RequestBytes("1"), []), "15")
            } == #"{"others":[21,11,22,15,23,13]}"#)
        #expect(
            try after("others") {
                try $0.element(.delete, address, "others", .path(RequestBytes("1"), []))
            } == #"{"others":[21,11,22,23,13]}"#)
        let world = try world()
        #expect(
            try world.as("ann") {
                try $0.element(
                    .delete, address, "others",
                    .parameters(key: nil, value: RequestBytes("21")))
            }.hasPrefix("element-not-found"))
    }

    @Test("keep hidden links in sets, maps, embedded objects and mixed values")
    func others() throws {
        #expect(
            try after("marks") { try $0.merge(address, #"{"marks":[12]}"#) }
                == #"{"marks":[12,21]}"#)
        #expect(
            try after("named") { try $0.merge(address, #"{"named":{"a":null,"b":12}}"#) }
                == #"{"named":{"a":21,"b":12}}"#)
        #expect(
            try after("main") {
                try $0.put(address, #"{"owner":"ann","main":{"text":"n"}}"#)
            } == #"{"main":{"text":"n","list":21}}"#)
        #expect(
            try after("items") {
                try $0.merge(
                    address,
                    #"{"items":[{"text":"x2"},{"text":"y","list":11},{"text":"z"},{"text":"new"}]}"#
                )
            }
                == #"{"items":[{"text":"x2","list":21},{"text":"y","list":11},{"text":"z","list":22},{"text":"new","list":null}]}"#
        )
        #expect(
            try after("next") { try $0.merge(address, #"{"next":null}"#) } == #"{"next":21}"#)
        #expect(
            try after("next") { try $0.merge(address, #"{"next":11}"#) } == #"{"next":11}"#)
        let any = try after("any") { try $0.merge(address, #"{"any":[3,{"k":[2,4]}]}"#) }
        #expect(any.contains("21") && any.contains("22") && any.contains("4"), "\(any)")
    }

    @Test(
        "keep what is hidden in the elements of a list where those are put elsewhere, taken out and changed",
        arguments: [
            (
                #"[{"text":"z"},{"text":"y","list":11},{"text":"x"}]"#,
                #"[{"text":"z","list":22},{"text":"y","list":11},{"text":"x","list":21}]"#
            ),
            (
                #"[{"text":"new"},{"text":"x"},{"text":"y2","list":11},{"text":"z"}]"#,
                #"[{"text":"new","list":null},{"text":"x","list":21},{"text":"y2","list":11},{"text":"z","list":22}]"#
            ),
            (
                #"[{"text":"z"},{"text":"new"},{"text":"x"}]"#,
                #"[{"text":"z","list":22},{"text":"new","list":null},{"text":"x","list":21}]"#
            ),
            (
                #"[{"text":"y","list":11},{"text":"x"},{"text":"z2"}]"#,
                #"[{"text":"y","list":11},{"text":"x","list":21},{"text":"z2","list":22}]"#
            ),
        ])
    func embeddedLists(stated: String, stored: String) throws {
        #expect(
            try after("items") { try $0.merge(address, "{\"items\":\(stated)}") }
                == "{\"items\":\(stored)}")
    }

    @Test("move an element of a list with what is hidden in it")
    func moves() throws {
        #expect(
            try after("items") {
                try $0.patch(address, #"[{"op":"move","from":"/items/2","path":"/items/0"}]"#)
            }
                == #"{"items":[{"text":"z","list":22},{"text":"x","list":21},{"text":"y","list":11}]}"#
        )
    }

    @Test(
        "keep what is hidden in a changed element beside one that is taken out or put in, if it is known by the rest"
    )
    func likeness() throws {
        func after(_ stated: String) throws -> String {
            let world = try RuledWorld(Self.rules) { service in
                try Self.fill(service)
                try service.merge(
                    address,
                    #"{"any":[{"k":1,"on":"a"},{"k":2,"on":"b","to":{"$link":{"class":"List","id":21}}}]}"#
                )
            }
            let outcome = try world.as("ann") {
                try $0.merge(address, "{\"any\":\(stated)}")
            }
            #expect(outcome.hasPrefix("ok"), "\(outcome)")
            return try world.list(1, "any")
        }
        let link = #""to":{"$link":{"class":"List","id":21}}"#
        #expect(
            try after(#"[{"k":3,"on":"b","to":null}]"#)
                == "{\"any\":[{\"k\":3,\"on\":\"b\",\(link)}]}")
        #expect(
            try after(#"[{"k":1,"on":"a"},{"k":8,"on":"c"},{"k":3,"on":"b","to":null}]"#)
                == "{\"any\":[{\"k\":1,\"on\":\"a\"},{\"k\":8,\"on\":\"c\"},{\"k\":3,\"on\":\"b\",\(link)}]}"
        )
    }

    @Test(
        "take an entry of a map, of which they see no target, out as little as they can make it null"
    )
    func entries() throws {
        #expect(
            try after("named") {
                try $0.element(.delete, address, "named", .path(RequestBytes("a"), []))
            } == #"{"named":{"a":21,"b":11}}"#)
        #expect(
            try after("named") {
                try $0.element(.delete, address, "named", .path(RequestBytes("b"), []))
            } == #"{"named":{"a":21}}"#)
    }
}
