import Foundation
import Holdfast
import Testing

@Suite("Configurations of a realm")
struct ConfigurationTests {
    private func fault(_ configuration: Realm.Configuration) -> Realm.Error? {
        #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    }

    @Test("that contradict themselves are refused")
    func contradictions() {
        let key = fault(.init(inMemoryIdentifier: "key", encryptionKey: Data(count: 64)))
        #expect(key?.code == .invalidConfiguration)
        #expect(key?.message.contains("encryptionKey") == true)
        let empty = fault(.init(inMemoryIdentifier: "read", readOnly: true))
        #expect(empty?.code == .invalidConfiguration)
        let web = URL(string: "https://localhost/store")
        #expect(fault(.init(fileURL: web))?.code == .invalidConfiguration)
    }

    @Test("that contradict what is open in the same place are refused")
    func conflicts() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "realm-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let types = [Note.self]
        let realm = try Realm(configuration: .init(fileURL: folder, objectTypes: types))
        let version = fault(.init(fileURL: folder, schemaVersion: 1, objectTypes: types))
        #expect(
            version?.message
                == "Realm at path '\(folder.path)' already opened with different schema version.")
        let reading = fault(.init(fileURL: folder, readOnly: true, objectTypes: types))
        #expect(
            reading?.message
                == "Realm at path '\(folder.path)' already opened with different read permissions.")
        #expect(realm.configuration.fileURL == folder)
    }

    @Test("name a folder or a store in memory, which is gone with its last realm")
    func places() throws {
        var configuration = Realm.Configuration(objectTypes: [Note.self])
        #expect(configuration.fileURL?.lastPathComponent == "default.realm")
        configuration.inMemoryIdentifier = "places"
        #expect(configuration.fileURL == nil)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Note()) }
            #expect(try Realm(configuration: configuration).objects(Note.self).count == 1)
        }
        #expect(try Realm(configuration: configuration).isEmpty)
        configuration.fileURL = URL(fileURLWithPath: "/nowhere/at/all")
        #expect(configuration.inMemoryIdentifier == nil)
        configuration.readOnly = true
        let missing = fault(configuration)
        #expect(missing?.code == .fileNotFound && missing?.fileURL == configuration.fileURL)
    }

    @Test("that only read can't write")
    func readOnly() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "realm-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let realm = try Realm(configuration: .init(fileURL: folder, objectTypes: [Note.self]))
            try realm.write { realm.add(Note(value: ["text": "kept"])) }
        }
        let reader = try Realm(
            configuration: .init(fileURL: folder, readOnly: true, objectTypes: [Note.self]))
        #expect(reader.objects(Note.self).first?.text == "kept")
    }
}
