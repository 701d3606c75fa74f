import Foundation
import Holdfast
import Testing

// Foundation has a type of this name, too.
import struct Holdfast.SortDescriptor

@Suite("Sort descriptors")
struct SortDescriptorTests {
    @Test("are named in files that import Foundation as well")
    func names() {
        let byName: SortDescriptor = "name"
        let list: [Holdfast.SortDescriptor] = [byName.reversed(), "age"]
        #expect(byName == SortDescriptor(keyPath: "name"))
        #expect(list.map(\.ascending) == [false, true])
        #expect("\(byName)" == "SortDescriptor(keyPath: name, direction: ascending)")
    }
}
