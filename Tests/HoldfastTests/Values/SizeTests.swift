import Foundation
import Holdfast
import Testing

@Suite("The size of values")
struct SizeTests {
    private final class Sized: Object {
        @Persisted var text = ""
        @Persisted var data = Data()
        @Persisted var texts: List<String>
        @Persisted var any: AnyRealmValue
    }

    private static let byteCountMax = 16_777_216

    private func realm() throws -> (Realm, Sized) {
        let realm = try Realm.ofSample("\(UUID())", [Sized.self])
        let sized = Sized()
        try realm.write { realm.add(sized) }
        return (realm, sized)
    }

    @Test("is 16 MiB at most for a text, to the byte")
    func texts() throws {
        let (realm, sized) = try realm()
        let most = String(repeating: "x", count: Self.byteCountMax)
        try realm.write { sized.text = most }
        #expect(sized.text.utf8.count == Self.byteCountMax)
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { sized.text = most + "x" }
        }
        #expect(fault?.message == "String too big" && sized.text == most)
    }

    @Test("is 16 MiB at most for bytes, to the byte")
    func bytes() throws {
        let (realm, sized) = try realm()
        let most = Data(count: Self.byteCountMax)
        try realm.write { sized.data = most }
        #expect(sized.data.count == Self.byteCountMax)
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { sized.data = most + [0] }
        }
        #expect(fault?.message == "Binary too big" && sized.data == most)
    }

    @Test("is limited in lists, mixed values and objects that are added as well")
    func elsewhere() throws {
        let (realm, sized) = try realm()
        let long = String(repeating: "x", count: Self.byteCountMax + 1)
        for change in [
            { sized.texts.append(long) }, { sized.any = .string(long) },
            { sized.any = .fromArray([.data(Data(count: Self.byteCountMax + 1))]) },
            { realm.add(Sized(value: ["text": long])) },
        ] {
            let fault = #expect(throws: ValueFault.self) { try realm.write { change() } }
            #expect(["String too big", "Binary too big"].contains(fault?.message))
        }
        #expect(realm.objects(Sized.self).count == 1 && sized.texts.isEmpty && sized.any == .none)
    }
}
