plugins {
    `java-library`
    `maven-publish`
}

description = "The queue itself. Needs Spring, never Spring Boot."

dependencies {
    api(libs.jackson.databind)
    api(libs.jspecify)
    api(libs.micrometer.observation)
    api(libs.shedlock.provider.jdbc.template)
    api(libs.spring.context)
    api(libs.spring.jdbc)
    api(libs.spring.tx)
    implementation(libs.flyway.core)
    implementation(libs.flyway.database.postgresql)
    implementation(libs.hikaricp)
    implementation(libs.postgresql)
    implementation(libs.slf4j.api)
    implementation(libs.spring.data.jdbc)
    compileOnly(libs.jakarta.validation.api)
    compileOnly(libs.micrometer.core)

    testImplementation(project(":konduit-queue-test-support"))
    testImplementation(libs.archunit)
    testImplementation(libs.hibernate.validator)
    testImplementation(libs.jakarta.validation.api)
    testImplementation(libs.lincheck)
    testImplementation(libs.micrometer.core)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.tomcat.embed.el)
    testRuntimeOnly(libs.junit.platform.launcher)
}

// The build writes its version into these.
sourceSets.main {
    resources.srcDir("src/main/templates")
}

tasks.processResources {
    val version = project.version.toString()
    inputs.property("version", version)
    filesMatching("**/version.properties") {
        filter { line -> line.replace("\${project.version}", version) }
    }
}

tasks.test {
    // BuildsAgreeTests reads both builds: a change in one of them must run it again.
    inputs.files(rootProject.allprojects.flatMap { listOf(it.file("pom.xml"), it.buildFile) })
    inputs.files(rootProject.file("settings.gradle.kts"), rootProject.file("gradle/libs.versions.toml"))
}
