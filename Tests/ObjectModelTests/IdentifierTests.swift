import Glibc
import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@Suite("Identifiers")
struct IdentifierTests {
    @Test("object identifiers are read and written as 24 digits, in either case")
    func objectID() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("object identifiers"))
        for _ in 0..<200 {
            let id = ObjectID(high: random.next(), low: UInt32(truncatingIfNeeded: random.next()))
            let text = id.description
            #expect(text.count == 24 && text == text.lowercased())
            for form in [text, text.uppercased()] {
                #expect(Array(form.utf8).withUnsafeBytes { ObjectID(text: $0) } == id)
            }
        }
        #expect(
            ObjectID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98).description
                == "0123456789abcdeffedcba98")
    }

    @Test("UUIDs are read and written in the form 8-4-4-4-12, in either case")
    func uuid() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("UUIDs"))
        for _ in 0..<200 {
            let id = UUID128(high: random.next(), low: random.next())
            let text = id.description
            #expect(text.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
            for form in [text, text.uppercased()] {
                #expect(Array(form.utf8).withUnsafeBytes { UUID128(text: $0) } == id)
            }
        }
        #expect(
            UUID128(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677).description
                == "01234567-89ab-cdef-0011-223344556677")
    }

    @Test(
        "other text is no identifier",
        arguments: [
            "", "0123456789abcdef01234567 ", "0123456789abcdef0123456", "0123456789abcdef0123456g",
            "01234567-89ab-cdef-0011-22334455667", "01234567-89ab-cdef-0011-2233445566778",
            "01234567+89ab-cdef-0011-223344556677", "0123456789ab-cdef-0011-2233445566778899",
            "01234567-89ab-cdef-0011-22334455667g", "{1234567-89ab-cdef-0011-22334455667}",
            "-1234567-89ab-cdef-0011-223344556677",
        ])
    func refused(text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            #expect(ObjectID(text: bytes) == nil)
            #expect(UUID128(text: bytes) == nil)
        }
    }

    @Test("identifiers are ordered as their text is")
    func order() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("order of identifiers"))
        for _ in 0..<500 {
            let few = { random.next() & 0x8000_0000_0000_0001 }
            let a = UUID128(high: few(), low: few())
            let b = UUID128(high: few(), low: few())
            #expect((a < b) == (a.description < b.description))
            let c = ObjectID(high: few(), low: UInt32(truncatingIfNeeded: few()))
            let d = ObjectID(high: few(), low: UInt32(truncatingIfNeeded: few()))
            #expect((c < d) == (c.description < d.description))
        }
    }

    @Test("generated object identifiers differ and carry the time; random UUIDs are of version 4")
    func generated() throws {
        let before = UInt64(Timestamp.now().seconds)
        let ids = (0..<1000).map { _ in ObjectID.generate() }
        let after = UInt64(Timestamp.now().seconds)
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { (before...after).contains($0.high >> 32) })
        #expect(Set(ids.map { $0.high & 0xFFFF_FFFF }).count == 1)
        let uuids = (0..<1000).map { _ in UUID128.random() }
        #expect(Set(uuids).count == 1000)
        for uuid in uuids {
            let text = Array(uuid.description)
            #expect(text[14] == "4" && "89ab".contains(text[19]))
        }
    }

    @Test("an object identifier made after a second has begun carries that second")
    func secondsBegin() {
        let start = Timestamp.now()
        usleep(UInt32(1_000_000_000 - start.nanoseconds) / 1000)
        var before = start
        while before < Timestamp(seconds: start.seconds + 1, nanoseconds: 20_000_000) {
            before = .now()
            #expect(ObjectID.generate().high >> 32 >= UInt64(before.seconds))
        }
    }

    @Test("identifiers are generated without repeating by several threads at once")
    func concurrently() throws {
        let slots = Slots(count: 4)
        try runThreads(4) { thread in slots.set(thread, (0..<500).map { _ in ObjectID.generate() })
        }
        #expect(Set(slots.all).count == 2000)
    }
}
