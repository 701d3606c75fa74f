import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing

@Suite("Writes of users")
struct UserWriteTests {
    /// Lists are their owners'; all but the owner and the title of them.
    private static let owners = """
        {"users":"Person","roles":{"member":{"classes":{
          "Person":{"read":true},
          "List":{"read":"owner == $user.id OR open == true","create":"owner == $user.id","update":"owner == $user.id",
            "delete":"owner == $user.id","properties":{"secret":"none","owner":"create","title":"read"}},
          "Task":{"read":"list.owner == $user.id","create":"list.owner == $user.id",
            "update":{"before":"done == false","after":"list.owner == $user.id"},"delete":"done == false"},
          "Reading":{"create":"by == $user.id"}}}}}
        """

    private func world() throws -> RuledWorld { try RuledWorld(Self.owners, RuledWorld.fill) }

    private func list(_ key: Int) -> ObjectAddress { ObjectAddress("List", "\(key)") }
    private func task(_ key: Int) -> ObjectAddress { ObjectAddress("Task", "\(key)") }

    // MARK: Who may

    @Test("create what a rule admits as it is at the end")
    func creation() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.create("List", #"{"id":5,"owner":"ann"}"#) }
                .hasPrefix("ok json(\"{\\\"id\\\":5,\\\"owner\\\":\\\"ann\\\""))
        #expect(
            try world.as("ann") { try $0.create("List", #"{"id":6,"owner":"bob"}"#) }
                == #"not-allowed: You may not create this object of class 'List'. [""]"#)
        #expect(try world.object("List", "6") == "object-not-found")
        #expect(
            try world.as("ann") { try $0.create("Person", #"{"id":"x"}"#) }
                .hasPrefix("not-allowed"))
        // By what another operation leaves of it.
        let operations = [
            #"{"op":"create","class":"List","value":{"id":7,"owner":"ann"}}"#,
            #"{"op":"patch","class":"List","id":7,"value":{"owner":"bob"}}"#,
        ]
        #expect(
            try world.as("ann") { try $0.transaction(operations) }
                == #"not-allowed: You may not create this object of class 'List'. ["/operations/0"]"#
        )
    }

    @Test("may state an object within another where they may write each of them")
    func nested() throws {
        let world = try world()
        func create(_ key: Int, _ list: String) throws -> String {
            try world.as("ann") {
                try $0.create("Task", "{\"id\":\(key),\"text\":\"t\",\"list\":\(list)}")
            }
        }
        #expect(try create(71, #"{"id":71,"owner":"ann"}"#).hasPrefix("ok"))
        // A list of ann's own that says otherwise at the end is not hers to make, whoever has the task.
        #expect(
            try create(72, #"{"id":72,"owner":"bob"}"#)
                == #"not-allowed: You may not create this object of class 'List'. [""]"#)
        #expect(try create(73, #"{"id":1,"title":"another"}"#).hasPrefix("not-allowed"))
        #expect(try create(74, #"{"id":1,"tags":["x"]}"#).hasPrefix("ok"))
        // List 3 is bob's and open: seen, and not ann's to change.
        #expect(try create(75, #"{"id":3,"tags":["x"]}"#).hasPrefix("not-allowed"))
        for (className, key) in [("Task", "72"), ("List", "72"), ("Task", "73"), ("Task", "75")] {
            #expect(try world.object(className, key) == "object-not-found", "\(className) \(key)")
        }
        #expect(
            try world.as("ann") { try $0.merge(task(1), #"{"list":{"id":76,"owner":"bob"}}"#) }
                .hasPrefix("not-allowed"))
        #expect(
            try world.as("ann") { try $0.merge(task(1), #"{"list":{"id":76,"owner":"ann"}}"#) }
                .hasPrefix("ok"))
    }

    @Test("create what they may not read, and are told nothing of it")
    func blindCreation() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.create("Reading", #"{"value":1,"by":"ann"}"#) }
                == #"ok json("", isCreated: true)"#)
        #expect(
            try world.as("ann") { try $0.create("Reading", #"{"value":1,"by":"bob"}"#) }
                .hasPrefix("not-allowed"))
    }

    @Test("change what one role admits before and after, and not what two do together")
    func update() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.merge(task(1), #"{"text":"x"}"#) }.hasPrefix("ok"))
        #expect(
            try world.as("ann") { try $0.merge(task(2), #"{"text":"x"}"#) }
                == #"not-allowed: You may not update this object of class 'Task'. [""]"#)
        #expect(
            try world.as("ann") { try $0.merge(task(1), #"{"list":3}"#) }
                .hasPrefix("not-allowed"))
        let both = try RuledWorld(
            """
            {"roles":{
              "a":{"classes":{"List":{"read":true,"update":{"before":"open == true","after":"title == 'X'"}}}},
              "b":{"classes":{"List":{"update":{"before":"owner == $user.id","after":"title == 'Y'"}}}}}}
            """, RuledWorld.fill)
        // Role a admits list 3 before, and role b what it would be after.
        #expect(
            try both.as("ann") { try $0.merge(list(3), #"{"title":"Y"}"#) }
                .hasPrefix("not-allowed"))
        #expect(
            try both.as("ann") { try $0.merge(list(3), #"{"title":"X"}"#) }.hasPrefix("ok"))
        #expect(
            try both.as("ann") { try $0.merge(list(1), #"{"title":"Y"}"#) }.hasPrefix("ok"))
    }

    @Test("change nothing where they state what is there, whatever they may")
    func noChange() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.merge(list(3), #"{"title":"C","owner":"bob"}"#) }
                .hasPrefix("ok"))
        #expect(
            try world.as("ann") { try $0.merge(list(3), #"{"tags":["x"]}"#) }
                == #"not-allowed: You may not update this object of class 'List'. [""]"#)
    }

    @Test("are bounded by what they see of a cascade")
    func boundOfCascades() throws {
        var options = StoreOptions()
        options.operationCountMax = 8
        func world(doneCount: Int, openCount: Int) throws -> RuledWorld {
            try RuledWorld(
                """
                {"roles":{"all":{"classes":{"List":{"read":true,"delete":true},"Task":{"read":"done == false"}}}}}
                """, options: options
            ) { service in
                try service.create("List", #"{"id":1}"#)
                for key in 0..<(doneCount + openCount) {
                    try service.create(
                        "Task", "{\"id\":\(key),\"list\":1,\"done\":\(key < doneCount)}")
                }
            }
        }
        let hidden = try world(doneCount: 20, openCount: 7)
        #expect(try hidden.as("ann") { try $0.delete(list(1)) } == "ok ()")
        #expect(try hidden.object("Task", "0") == "object-not-found")
        #expect(try hidden.object("Task", "26") == "object-not-found")
        #expect(
            try world(doneCount: 0, openCount: 8).as("ann") { try $0.delete(list(1)) }
                .hasPrefix("too-many-operations"))
    }

    @Test("delete what a rule admits, and not what follows from that")
    func deletion() throws {
        let world = try world()
        #expect(
            try world.as("ann") { try $0.delete(task(2)) }
                == #"not-allowed: You may not delete this object of class 'Task'. [""]"#)
        // The task that is done goes along by a cascade.
        #expect(try world.as("ann") { try $0.delete(list(1)) } == "ok ()")
        #expect(try world.object("Task", "2") == "object-not-found")
        #expect(
            try world.as("ann") { try $0.delete(list(3)) }.hasPrefix("not-allowed"))
    }

    @Test("need both rights to delete and create again")
    func recreation() throws {
        let world = try world()
        let again = [
            #"{"op":"delete","class":"Task","id":2}"#,
            #"{"op":"create","class":"Task","value":{"id":2,"list":1}}"#,
        ]
        #expect(
            try world.as("ann") { try $0.transaction(again) }
                == #"not-allowed: You may not delete this object of class 'Task'. ["/operations/0"]"#
        )
        let other = [
            #"{"op":"delete","class":"Task","id":1}"#,
            #"{"op":"create","class":"Task","value":{"id":1,"list":3}}"#,
        ]
        #expect(
            try world.as("ann") { try $0.transaction(other) }
                == #"not-allowed: You may not create this object of class 'Task'. ["/operations/1"]"#
        )
    }

    @Test("do not use a right that the same transaction gives them")
    func gainedRights() throws {
        let world = try RuledWorld(
            """
            {"users":"Person","roles":{
              "all":{"classes":{
                "Person":{"read":true,"update":"id == $user.id"},
                "List":{"read":"owner == $user.id OR open == true","update":{"before":"open == true","after":true},
                  "delete":"owner == $user.id"},
                "Task":{"read":"list.owner == $user.id","update":{"before":"list.owner == $user.id","after":true},
                  "delete":"list.owner == $user.id"}}},
              "boss":{"when":"$user.object.role == 'boss'","classes":{"List":{"read":true,"update":true,"create":true}}}}}
            """
        ) { service in
            try RuledWorld.fill(service)
            try service.merge(list(2), #"{"open":true}"#)
            try service.create("Person", #"{"id":"ann"}"#)
        }
        let own = #"{"op":"patch","class":"List","id":2,"value":{"owner":"ann"}}"#
        for second in [
            #"{"op":"patch","class":"Task","id":3,"value":{"text":"x"}}"#,
            #"{"op":"delete","class":"Task","id":3}"#,
        ] {
            #expect(
                try world.as("ann") { try $0.transaction([own, second]) }
                    .hasPrefix("object-not-found"))
        }
        #expect(
            try world.as("ann") {
                try $0.transaction([own, #"{"op":"delete","class":"List","id":2}"#])
            }.hasPrefix("not-allowed"))
        let boss = #"{"op":"patch","class":"Person","id":"ann","value":{"role":"boss"}}"#
        #expect(
            try world.as("ann") {
                try $0.transaction([
                    boss, #"{"op":"create","class":"List","value":{"id":9}}"#,
                ])
            }.hasPrefix("not-allowed"))
        // One after the other.
        #expect(try world.as("ann") { try $0.transaction([own]) }.hasPrefix("ok"))
        #expect(
            try world.as("ann") { try $0.merge(task(3), #"{"text":"x"}"#) }.hasPrefix("ok"))
    }

    // MARK: Properties

    @Test("state and change properties as their rights say")
    func propertyRights() throws {
        let world = try world()
        func merge(_ json: String) throws -> String {
            try world.as("ann") { try $0.merge(list(1), json) }
        }
        #expect(
            try merge(#"{"title":"Z"}"#)
                == #"not-allowed: You may not change 'title' of this object of class 'List'. [""]"#)
        #expect(try merge(#"{"title":"A"}"#).hasPrefix("ok"))
        #expect(
            try merge(#"{"owner":"bob"}"#)
                == #"not-allowed: You may not update this object of class 'List'. [""]"#)
        #expect(
            try world.as("ann") {
                try $0.create("List", #"{"id":5,"owner":"ann","title":"T"}"#)
            } == #"not-allowed: You may not set 'title' of this new object of class 'List'. [""]"#
        )
        #expect(
            try world.as("ann") {
                try $0.create("List", #"{"id":5,"owner":"ann","title":null}"#)
            }.hasPrefix("ok"))
    }

    @Test("learn nothing of a hidden property by stating it, and keep it")
    func hiddenProperties() throws {
        // One that is hidden everywhere is no property of theirs.
        let world = try RuledWorld(
            Self.owners.replacing(
                #""roles":{"#,
                with: #""roles":{"visitor":{"classes":{"List":{"read":"open == true"}}},"#),
            RuledWorld.fill)
        #expect(
            try self.world().as("ann") { try $0.merge(list(1), #"{"secret":"s1"}"#) }
                .hasPrefix("unknown-property"))
        for value in [#""s1""#, #""s2""#] {
            let refused =
                #"not-allowed: You may not change 'secret' of this object of class 'List'. [""]"#
            #expect(
                try world.as("ann") { try $0.merge(list(1), "{\"secret\":\(value)}") } == refused)
            #expect(
                try world.as("ann") {
                    try $0.patch(
                        list(1), "[{\"op\":\"replace\",\"path\":\"/secret\",\"value\":\(value)}]")
                } == refused)
            #expect(
                try world.as("ann") {
                    try $0.patch(
                        list(1), "[{\"op\":\"test\",\"path\":\"/secret\",\"value\":\(value)}]")
                }.hasPrefix("test-failed"))
            #expect(
                try world.as("ann") { try $0.change("List", where: "secret == \(value)", "{}") }
                    .contains("affected\\\":0"))
        }
        #expect(
            try world.as("ann") { try $0.merge(list(1), #"{"secret":null,"tags":["x"]}"#) }
                .hasPrefix("ok"))
        #expect(
            try world.as("ann") {
                try $0.put(list(1), #"{"owner":"ann","title":"A","code":"z"}"#)
            }.hasPrefix("ok"))
        #expect(
            try world.list(1, "secret,code,tags,rank")
                == #"{"secret":"s1","code":"z","tags":[],"rank":7}"#)
    }

    // MARK: What is not seen

    @Test("are told of a hidden object that its key is taken, and nothing else")
    func hiddenKeys() throws {
        let world = try world()
        let before = try world.object("List", "2")
        for mode in [WriteMode.create, .merge, .replace, .ignore] {
            #expect(
                try world.as("ann") { try $0.write("List", #"{"id":2,"owner":"ann"}"#, mode) }
                    .hasPrefix("duplicate-key"), "\(mode)")
            #expect(
                try world.as("ann") {
                    try $0.write("Task", #"{"id":9,"list":{"id":2,"owner":"ann"}}"#, mode)
                }.hasPrefix("duplicate-key"), "\(mode)")
            // Nor that, of a class that they do not know.
            #expect(
                try world.as("ann") { try $0.write("Lock", #"{"id":1}"#, mode) }
                    .hasPrefix("unknown-class"), "\(mode)")
        }
        for key in [2, 99] {
            let isThere = key == 2
            #expect(
                try world.as("ann") { try $0.merge(list(key), "{}") }
                    .hasPrefix("object-not-found"))
            #expect(
                try world.as("ann") { try $0.patch(list(key), "[]") }
                    .hasPrefix("object-not-found"))
            #expect(
                try world.as("ann") { try $0.delete(list(key)) }.hasPrefix("object-not-found"))
            #expect(
                try world.as("ann") { try $0.element(.add, list(key), "tags", .none, "\"x\"") }
                    .hasPrefix("object-not-found"))
            #expect(
                try world.as("ann") { try $0.merge(list(1), "{\"next\":\(key)}") }
                    == "dangling-link: A link leads to an object that does not exist. [\"/next\"]",
                "\(isThere)")
            #expect(
                try world.as("ann") {
                    try $0.patch(
                        list(1), "[{\"op\":\"add\",\"path\":\"/others/-\",\"value\":\(key)}]")
                } == "dangling-link: A link leads to an object that does not exist. [\"/0/value\"]"
            )
        }
        #expect(try world.object("List", "2") == before)
    }

    @Test("are not told which object has a value, or denies a deletion")
    func constraints() throws {
        let world = try world()
        try world.service.create("Lock", #"{"id":77,"list":1}"#)
        #expect(
            try world.as("ann") { try $0.merge(list(1), #"{"code":"b"}"#) }
                == "not-unique: 'code' of class 'List' is unique, and another object has this value already. [\"/code\"]"
        )
        #expect(
            try world.as("ann") { try $0.merge(list(1), #"{"code":"c"}"#) }
                .contains("List 3"))
        #expect(
            try world.as("ann") { try $0.delete(list(1)) }
                == "denied-delete: List 1 can't be deleted: another object denies that. [\"\"]")
    }

    @Test("change and delete by filter what they see")
    func bulk() throws {
        let world = try world()
        #expect(
            try world.as("ann") {
                try $0.change("List", where: "TRUEPREDICATE", #"{}"#, affectedCountMax: 2)
            }.contains("affected\\\":2"))
        #expect(
            try world.as("ann") {
                try $0.change("List", where: "TRUEPREDICATE", #"{}"#, affectedCountMax: 1)
            }.hasPrefix("max-affected-exceeded: 2 objects match"))
        #expect(
            try world.as("ann") {
                try $0.change("List", where: "open == false", #"{"tags":["x"]}"#)
            }.contains("affected\\\":1"))
        #expect(try world.list(2, "tags") == #"{"tags":[]}"#)
        #expect(
            try world.as("bob") { try $0.change("Task", where: "TRUEPREDICATE", nil) }
                .contains("affected\\\":1"))
        #expect(try world.object("Task", "3") == "object-not-found")
        #expect(try world.object("Task", "1") != "object-not-found")
    }
}
