import HoldfastAccess
import HoldfastObjectJSON
import HoldfastStoreService
import Testing

@Suite("The text of an access document")
struct AccessDocumentTests {
    @Test("is read and written as it was")
    func roundTrip() throws {
        let text =
            #"{"users":"Person","signUp":true,"roles":{"public":{"for":"anyone","classes":{"Country":{"read":true}}},"#
            + #""member":{"when":"$user.object.verified == true","classes":{"#
            + #""List":{"read":"owner == $user.id","create":"owner == $user.id","update":"owner == $user.id","#
            + #""properties":{"owner":"create"}},"#
            + #""Task":{"update":{"before":"done == false","after":true},"delete":true,"properties":{"note":"none"}}}}}}"#
        let document = try AccessReader.read(text: text)
        #expect(document.text == text)
        #expect(try AccessReader.read(text: document.text) == document)
        #expect(document.roles.map(\.name) == ["public", "member"])
        #expect(document.roles[0].isForAnyone && document.signUp)
    }

    @Test(
        "is refused as a whole for one member that is not known or of another type",
        arguments: [
            ("{}", "", "missing-member", nil),
            (#"{"roles":[]}"#, "/roles", "wrong-type", nil),
            (#"{"roles":{},"sginUp":true}"#, "/sginUp", "unknown-member", "signUp"),
            (#"{"roles":{},"signUp":1}"#, "/signUp", "wrong-type", nil),
            (#"{"roles":{"a b":{}}}"#, "/roles/a b", "wrong-type", nil),
            (#"{"roles":{"a":{"whn":"x"}}}"#, "/roles/a/whn", "unknown-member", "when"),
            (#"{"roles":{"a":{"for":"all"}}}"#, "/roles/a/for", "wrong-type", "anyone"),
            (
                #"{"roles":{"a":{"classes":{"C":{"raed":true}}}}}"#, "/roles/a/classes/C/raed",
                "unknown-member", "read"
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"list":true}}}}}"#, "/roles/a/classes/C/list",
                "unknown-member", "read"
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"insert":true}}}}}"#,
                "/roles/a/classes/C/insert", "unknown-member", "create"
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"write":true}}}}}"#, "/roles/a/classes/C/write",
                "unknown-member", nil
            ),
            (#"{"C":{"read":true}}"#, "", "missing-member", nil),
            (
                #"{"roles":{"a":{"classes":{"C":{"read":false}}}}}"#, "/roles/a/classes/C/read",
                "wrong-type", nil
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"update":{"before":true}}}}}}"#,
                "/roles/a/classes/C/update", "wrong-type", nil
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"delete":{"before":true}}}}}}"#,
                "/roles/a/classes/C/delete", "wrong-type", nil
            ),
            (
                #"{"roles":{"a":{"classes":{"C":{"properties":{"p":"wirte"}}}}}}"#,
                "/roles/a/classes/C/properties/p", "wrong-type", "write"
            ),
            (#"{"roles":{"a":{},"a":{}}}"#, "/roles/a", "duplicate-name", nil),
        ] as [(String, String, String, String?)])
    func refused(text: String, pointer: String, code: String, hint: String?) throws {
        do throws(RequestFault) {
            _ = try AccessReader.read(text: text)
            Issue.record("It was taken: \(text)")
        } catch {
            let entry = try #require(error.errors.first { $0.code == code }, "\(error)")
            #expect(entry.pointer == pointer && entry.hint == hint, "\(error)")
        }
    }
}
