import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTransfer
import Testing

@Suite("Imports of users")
struct UserImportTests {
    /// Lists are their owners'; open ones are shown without their secret and rank to everybody, who may mark them.
    private static let owners = """
        {"users":"Person","roles":{
          "member":{"classes":{
            "Person":{"read":true},
            "List":{"read":"owner == $user.id","create":"owner == $user.id","update":"owner == $user.id",
              "delete":"owner == $user.id","properties":{"secret":"none","owner":"create","title":"read"}},
            "Task":{"read":"list.owner == $user.id","create":"list.owner == $user.id",
              "update":{"before":"done == false","after":"list.owner == $user.id"}}}},
          "visitor":{"classes":{
            "List":{"read":"open == true","update":"open == true",
              "properties":{"secret":"none","rank":"none","owner":"read"}}}}}}
        """

    private func world() throws -> RuledWorld { try RuledWorld(Self.owners, RuledWorld.fill) }

    /// Imports lines as ann, and tells how many were taken, and the number and code of each fault.
    private func run(
        _ world: RuledWorld, _ className: String, _ lines: [String],
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> String {
        try world.as("ann") { service in
            let report = try service.import(className, lines.joined(separator: "\n"), change)
            let faults = report?.faults.map { "\($0.line) \($0.fault.code)" } ?? []
            return ([String(report?.importedCount ?? -1)] + faults).joined(separator: ", ")
        }
    }

    /// Lines of which each is written alone, too.
    private static let lines: [(String, String)] = [
        ("List", #"{"id":5,"owner":"ann"}"#), ("List", #"{"id":5,"owner":"bob"}"#),
        ("List", #"{"id":5,"owner":"ann","title":"T"}"#), ("List", #"{"id":1,"owner":"ann"}"#),
        ("List", #"{"id":1,"title":"Z"}"#), ("List", #"{"id":1,"code":"z"}"#),
        ("List", #"{"id":1,"owner":"bob"}"#), ("List", #"{"id":2,"owner":"ann"}"#),
        ("List", #"{"id":2}"#), ("List", #"{"id":3,"owner":"ann"}"#),
        ("List", #"{"id":3,"rank":9,"open":true}"#),
        ("List", #"{"id":3,"tags":["x"],"open":true}"#),
        ("List", #"{"id":5,"owner":"ann","next":2}"#),
        ("List", #"{"id":5,"owner":"ann","next":99}"#),
        ("List", #"{"id":5,"owner":"ann","others":[1,2,3]}"#),
        ("List", #"{"id":5,"owner":"ann","next":{"id":2,"owner":"ann"}}"#),
        ("List", #"{"id":5,"owner":"ann","next":{"id":6,"owner":"bob"}}"#),
        ("List", #"{"id":5,"owner":"ann","secret":"s"}"#),
        ("List", #"{"id":5,"owner":"ann","secrets":"s"}"#),
        ("List", #"{"id":5,"owner":"ann","any":{"$link":{"class":"Lock","id":1}}}"#),
        ("List", #"{"id":5,"owner":"ann","code":"b"}"#),
        ("List", #"{"id":5,"owner":"ann","code":"c"}"#), ("Task", #"{"id":9,"list":1}"#),
        ("Task", #"{"id":9,"list":2}"#), ("Task", #"{"id":9}"#), ("Task", #"{"id":3,"list":1}"#),
        ("Task", #"{"id":2,"text":"x"}"#), ("Person", #"{"id":"x"}"#), ("Lock", #"{"id":1}"#),
    ]

    @Test(
        "take of each line what the same write alone does, and say the same of it",
        arguments: [WriteMode.create, .merge, .replace, .ignore])
    func singleWrites(mode: WriteMode) throws {
        func text(_ faults: [RequestFault.Entry]) -> String {
            faults.map { "\($0.code): \($0.detail) \($0.pointer ?? "") \($0.hint ?? "")" }
                .joined(separator: "\n")
        }
        for (className, line) in Self.lines {
            let (alone, imported) = (try world(), try world())
            var expected = ""
            _ = try alone.as("ann") { service in
                do {
                    try service.write(className, line, mode)
                } catch let fault as RequestFault {
                    let entry = RequestFault.Entry(code: fault.code, detail: fault.detail)
                    expected = text(fault.errors.isEmpty ? [entry] : fault.errors)
                }
            }
            var found = ""
            _ = try imported.as("ann") { service in
                do {
                    let report = try service.import(className, line) { $0.mode = mode }
                    found = text(report?.faults.map(\.fault) ?? [])
                } catch let fault as RequestFault {
                    found = text([RequestFault.Entry(code: fault.code, detail: fault.detail)])
                }
            }
            #expect(found == expected, "\(className) \(line)")
            for name in ["List", "Task", "Person"] {
                #expect(
                    try imported.service.export(name) == alone.service.export(name),
                    "\(className) \(line)")
            }
        }
    }

    @Test("leave refused lines out, and those that link to what they would have made")
    func refusedLines() throws {
        let lines = [
            #"{"id":10,"owner":"ann","next":11}"#, #"{"id":11,"owner":"bob"}"#,
            #"{"id":12,"owner":"ann","next":14}"#, #"{"id":13,"owner":"ann","next":10}"#,
            #"{"id":14,"owner":"ann"}"#, #"{"id":2,"owner":"ann"}"#,
            #"{"id":15,"owner":"ann","next":2}"#, #"{"id":1,"owner":"ann","tags":["x"]}"#,
        ]
        for count in [1, 2, 3, 100] {
            let world = try world()
            #expect(
                try run(world, "List", lines) {
                    $0.mode = .merge
                    $0.chunkLineCount = count
                }
                    == "ok 3, 1 dangling-link, 2 not-allowed, 4 dangling-link, 6 duplicate-key, 7 dangling-link",
                "\(count)")
            #expect(try world.list(12, "next") == #"{"next":14}"#)
            #expect(try world.list(1, "tags,secret") == #"{"tags":["x"],"secret":"s1"}"#)
            #expect(try world.list(2, "owner") == #"{"owner":"bob"}"#)
            #expect(try world.object("List", "13") == "object-not-found")
        }
    }

    @Test("take lines that link to each other together")
    func circles() throws {
        let lines = [
            #"{"id":20,"owner":"ann","next":21}"#, #"{"id":21,"owner":"ann","next":20}"#,
            #"{"id":22,"owner":"ann","next":23}"#, #"{"id":23,"owner":"bob","next":22}"#,
            #"{"id":24,"owner":"ann","next":25}"#,
            #"{"id":25,"owner":"ann","next":24,"others":[2]}"#,
            #"{"id":26,"owner":"ann","next":26}"#,
        ]
        let world = try world()
        #expect(
            try run(world, "List", lines)
                == "ok 3, 3 dangling-link, 4 not-allowed, 5 dangling-link, 6 dangling-link, 6 dangling-link"
        )
        #expect(try world.list(20, "next") == #"{"next":21}"#)
        #expect(try world.object("List", "22") == "object-not-found")
    }

    @Test("judge what lines do with one object together")
    func oneObject() throws {
        let world = try world()
        let lines = [
            #"{"id":30,"owner":"ann"}"#, #"{"id":30,"owner":"bob"}"#, #"{"id":30,"code":"x"}"#,
            // Closed, so that nothing of it may be changed any more.
            #"{"id":3,"tags":["x"]}"#, #"{"id":3,"open":false}"#, #"{"id":3,"tags":["y"]}"#,
        ]
        #expect(
            try run(world, "List", lines) { $0.mode = .merge }
                == "ok 4, 2 not-allowed, 5 not-allowed")
        #expect(
            try world.list(30, "owner,code") == #"{"owner":"ann","code":"x"}"#)
        #expect(try world.list(3, "tags,open") == #"{"tags":["y"],"open":true}"#)
    }

    @Test("take all or nothing where they are atomic, and tell each line that is refused")
    func atomic() throws {
        let world = try world()
        let before = try world.service.export("List")
        #expect(
            try run(
                world, "List",
                [
                    #"{"id":40,"owner":"ann","next":41}"#, #"{"id":41,"owner":"ann"}"#,
                    #"{"id":42,"owner":"bob"}"#, #"{"id":43,"owner":"cem"}"#,
                ]
            ) { $0.isAtomic = true } == "ok 0, 3 not-allowed, 4 not-allowed")
        #expect(try world.service.export("List") == before)
        #expect(
            try run(
                world, "List",
                [#"{"id":40,"owner":"ann","next":41}"#, #"{"id":41,"owner":"ann"}"#]
            ) { $0.isAtomic = true } == "ok 2")
    }

    @Test("know no column that is hidden everywhere, and are told no name of it")
    func unknownColumns() throws {
        let csv = ["id,owner,secret", "50,ann,x"]
        let world = try world()
        let refused = try run(world, "List", csv) { $0.format = .csv }
        #expect(
            refused.hasPrefix(
                "unknown-column: The header of the CSV text does not fit: Class 'List' has no property 'secret'"
            )
        )
        let mistaken = try world.as("ann") {
            try $0.import("List", "id,owner,secre\n50,ann,x") { $0.format = .csv }
        }
        #expect(mistaken.hasPrefix("unknown-column") && !mistaken.contains("secret"))
        #expect(
            try run(world, "List", csv) {
                $0.format = .csv
                $0.ignoresUnknown = true
            } == "ok 1")
        #expect(try world.list(50, "owner,secret") == #"{"owner":"ann","secret":null}"#)
    }

    @Test(
        "import the table that they have exported, and nothing has changed",
        arguments: [WriteMode.merge, .replace])
    func table(mode: WriteMode) throws {
        let world = try world()
        let before = try world.service.export("List")
        var table = ""
        _ = try world.as("ann") {
            table = try $0.export("List", fields: "id,owner,open,title,rank,code", isCSV: true)
        }
        #expect(
            table
                == "id,owner,open,title,rank,code\r\n1,ann,false,A,7,a\r\n3,bob,true,C,,c\r\n")
        #expect(
            try run(world, "List", [table]) {
                $0.format = .csv
                $0.mode = mode
            } == "ok 2")
        #expect(try world.service.export("List") == before)
    }

    @Test("are told of extended JSON what they are of other lines")
    func extendedJSON() throws {
        let world = try world()
        let lines = [
            #"{"id":{"$numberInt":"50"},"owner":"ann"}"#,
            #"{"id":{"$numberLong":"51"},"owner":"bob"}"#,
            #"{"id":{"$numberInt":"52"},"owner":"ann","secret":"x"}"#,
            #"{"id":{"$numberInt":"2"},"owner":"ann"}"#,
        ]
        for text in [lines, ["[" + lines.joined(separator: ",\n") + "]"]] {
            #expect(
                try run(world, "List", text) {
                    $0.format = .extendedJSON
                    $0.mode = .merge
                } == "ok 1, 2 not-allowed, 3 unknown-property, 4 duplicate-key")
        }
    }

    @Test("report each kind of what is refused once")
    func reports() throws {
        let world = try world()
        let lines = (60..<70).map { #"{"id":\#($0),"owner":"bob"}"# }
        let outcome = try run(world, "List", lines + [#"{"id":1,"title":"Z"}"#]) {
            $0.mode = .merge
        }
        #expect(outcome.hasPrefix("ok 0"))
        #expect(
            world.refused.map { "\($0.action) \($0.property ?? "")" }.sorted()
                == ["create ", "update title"])
    }
}
