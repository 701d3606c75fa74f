import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

@Suite("Records of users and tokens")
struct AccessRecordTests {
    private func set(_ id: String, isBlocked: Bool, in store: Store) throws {
        try store.write { transaction throws(StoreError) in
            try transaction.putUser(
                UserRecord(id: id, isBlocked: isBlocked, signedInAfter: .min))
        }
    }

    @Test(
        "the record of a user who was barred stays as long as the change log reaches back to then")
    func lifetime() throws {
        var options = StoreOptions()
        options.retentionByteCount = 200
        let store = try Shelter.open(.memory, options: options)
        defer { store.close() }
        try set("eve", isBlocked: true, in: store)
        try set("ann", isBlocked: true, in: store)
        try store.put("City", ["id": .value(.int(0))])
        try set("ann", isBlocked: false, in: store)
        try set("bob", isBlocked: false, in: store)
        let users = try store.access().users
        #expect(users.map(\.id) == ["ann", "eve"])
        #expect(users.first?.accessVersion == store.version.number)
        #expect(try store.findings() == [])
        for number in 1..<100 { try store.put("City", ["id": .value(.int(Int64(number)))]) }
        try set("bob", isBlocked: false, in: store)
        #expect(try store.access().users.map(\.id) == ["eve"])
        #expect(try store.findings() == [])
    }

    @Test("a token's record of before format 8 is read")
    func formerToken() {
        var token = TokenRecord(
            number: 7, name: "phone", hash: [UInt8](repeating: 1, count: 32), right: "read",
            seconds: 5)
        token.classes = ["Task"]
        token.accessVersion = 9
        let key = StoreKey.bytes { StoreKey.appendToken(token.number, to: $0) }
        func read(_ value: [UInt8]) -> TokenRecord? {
            key.withUnsafeBytes { key in value.withUnsafeBytes { TokenRecord(key, $0) } }
        }
        let buffer = ByteBuffer()
        token.append(to: buffer)
        #expect(read(buffer.array) == token)
        #expect(read([3] + buffer.array.dropFirst()) == nil)
        token.accessVersion = 0
        #expect(read([3] + buffer.array.dropFirst().dropLast(8)) == token)
    }

    @Test("a user's record of before format 8 is read")
    func formerUser() {
        let buffer = ByteBuffer()
        buffer.append(1 as UInt8)
        buffer.append(1 as UInt8)
        buffer.append(little: UInt64(7))
        let record = UserRecord("ann", buffer.bytes)
        #expect(record?.isBlocked == true && record?.signedInAfter == 7)
        #expect(record?.accessVersion == 0)
    }
}
